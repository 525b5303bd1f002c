/**
 * Words that occur in any text, and those that any task contains, by language. They are not counted as words in common.
 * Words that also name things in computing (`ci`, `os`, `col`) are left out.
 */
const WORDS = `
  a about after again all also am an and any are as at be been before but by can could did do does done for from get
  got had has have he her here his how i if in into is it its just let like make may me more my need no not now of on
  one only or other our out please she should so some such than that the their them then there these they this those
  to too up us use using want was we were what when where which while who why will with would you your
  add change check continue create fix go improve implement look run see start update work write

  aber alle als also am an auch auf aus bei beim bis bitte da das dass dem den der des die dies diese diesem diesen dieser
  dieses doch du durch ein eine einem einen einer eines er es für gegen hat habe haben hier ich ihr im in ist ja jetzt
  kann kein keine mehr mein mit mir muss nach nicht noch nun nur ob oder ohne schon sein sich sie sind so soll sollte
  über um und uns unter vom von vor war warum was wenn werden wie wieder wir wird wo zu zum zur
  ändere aktualisiere baue behebe behoben einbauen erstelle füge hinzu hinzufügen implementiere korrigiere mach mache prüfe
  repariere schau schreibe verbessere weiter

  au aux avec ce ces cet cette comme dans de des du elle en est et être il ils je la le les leur lui ma mais mes moi mon
  ne nos notre nous on ou où par pas peut plus pour qu quand que qui sa sans se si son sont sur ta te tes toi ton
  très tu un une vers vos votre vous plait plaît
  ajoute ajouter améliore améliorer continue continuer corrige corriger crée créer écris écrire mets mettre modifie
  modifier vérifie vérifier

  al como con cuando de del desde donde e el ella en entre es esa ese eso esta está este esto favor ha hace hacer hay la
  las le lo los más me mi muy no nos o para pero por porque puede que quiero se ser si sí sin sobre son su sus también te
  tiene todo tu un una y ya
  actualiza actualizar agrega agregar añade añadir arregla arreglar cambia cambiar continúa corrige corregir crea crear
  escribe escribir haz mejora mejorar revisa revisar sigue

  alla anche che come con cosa da dal dalla dei del della delle di e gli ha ho i il la le lo ma mi nel nella non
  o per più può quando se sei si sono su sul sulla ti un una uno
  aggiorna aggiungi aggiungere controlla correggi correggere crea modifica migliora scrivi

  ao aos as às com da das de do dos e é ela ele em essa esse esta este eu foi há isso isto já mais mas me meu na não nas
  no nos o ou para pela pelo por porque que quero se sem ser seu são sua também tem um uma você
  adicionar adicione altere atualizar atualize corrigir corrija criar crie melhorar melhore verifique

  aan als bij dat de deze die dit een en er het hij ik in is je maar me met mijn naar niet nog nu of om ook op te
  tot uit van voor waar wat we wij wordt zijn zo
  controleer herstel maak schrijf verbeter voeg

  без бы в во вот все всё вы где да для до его ее её если есть еще ещё же за и из или их к как когда ко кто ли мне можно
  мой мы на надо не нет но нужно о об он она они от по под пожалуйста при с со так также там то тоже у уже что чтобы это
  я
  добавить добавь измени изменить исправить исправь напиши написать обнови обновить проверить проверь продолжай сделай
  сделать создай создать улучши улучшить

  그 그리고 또 또는 및 수 수정 수정해 수정해줘 수정해주세요 이 좀 주세요 추가 추가해 추가해줘 추가해주세요 해 해줘 해주세요

  一下 一个 一些 不要 为了 什么 以及 使用 修复 修改 创建 可以 如何 实现 帮我 怎么 我们 所有 改进 更新 检查 添加 增加 继续 编写 请帮 这个 进行 那个 需要
  修正 変更 実装 更新 作成 追加 確認 改善
`;

export const STOP_WORDS: readonly string[] = WORDS.trim().split(/\s+/);

/**
 * A pair of characters that is only grammar: Japanese writes its endings and particles in Hiragana, and Chinese puts 的
 * and 了 between words.
 */
export const GRAMMAR_PAIR = /^\p{Script=Hiragana}{1,2}$|^(?:[的了把被请のを].|.[的了把被请のを])$/u;
