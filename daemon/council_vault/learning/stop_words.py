"""Words that say nothing of what a text is about, in the languages that are written with spaces most.

Words of one or two characters never count as terms and are not listed. Nor are those of other languages that
say something in English (``war``, ``car``, ``door``, ``van``), but for
a few that are everywhere (``die``, ``pour``).
"""

from __future__ import annotations

_ENGLISH = """
    about above after again all also and any are aren't because been before being below between both but
    can can't cannot could couldn't did didn't does doesn't doing don't down during each either else even
    ever every few for from further get gets getting give given gives goes going got had hadn't has hasn't
    have haven't having he's her here here's hers herself him himself his how how's however i'll i've
    into isn't it's its itself just let let's like may might more most much must myself need needs
    neither nor not now off often once one only other others our ours ourselves out over own per please
    quite rather really same say says shall she she's should shouldn't since some something still such
    tell than that that's the their theirs them themselves then there there's these they they're they've
    thing things this those through thus too under until upon use used uses using very via want wants was
    wasn't way ways we're we've well were weren't what what's when where where's whether which while who
    who's whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're
    you've your yours yourself
"""
_GERMAN = """
    aber alle allem allen aller alles als auch auf aus bei beim bis dann das dass dein dem den denn der
    des dessen die dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen einer eines
    etwas euch euer für gegen habe haben hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
    immer ist jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner können könnte
    könnten mein muss müssen nach nicht nichts noch nur oder ohne schon sein seine seinem seinen seiner
    seit sich sie sind soll sollen sollte sollten sondern und uns unser unsere unserem unseren unserer
    unter viel vom von vor wann waren warum wegen weil welche welchem welchen welcher welches wem wen wenn
    werden wie wieder wir wird wurde wurden wäre würde würden zum zur zwischen über
"""
_FRENCH = """
    afin ainsi alors après aucun aussi autre aux avant avec avez avoir avons ceci cela celle celui ces cet
    cette ceux chaque chez comme contre dans depuis des devrait devrions doit doivent donc dont elle elles
    entre est eux faire fait faudrait faut ils leur leurs lors mais mes moins même nos notre nous nul ont
    par parce pas pendant peu peut peuvent plusieurs pour pourquoi quand que quel quelle quelles quels qui
    quoi sans selon sera serait seront ses sont sur tous tout toute toutes très une vers vos votre vous
    était être
"""
_SPANISH_AND_PORTUGUESE = """
    ante antes aquel aquela aquele así até cada como con cuando cuál cuándo cómo debe debemos deben
    debería deberíamos del desde deve devem devemos deveria deveríamos donde durante ela elas ele eles
    ella ellas ellos entonces entre eran esa esas ese eso esos essa esse estas este esto estos está están
    estão foi fue hacia hasta isso isto las les los mais mas mientras mismo muito muy más nem nosotros
    nossa nosso nuestra nuestro não nós otra otro outra outro para pela pelo pero poco pode podemos por
    porque qual quando que quem quién qué ser será seu sobre sua suas sus são también também tem tiene
    todo todos tras tudo una unas uno unos usted vamos você
"""
_ITALIAN = """
    abbiamo alla alle allo anche ancora avere che ciò come con cosa cui dagli dal dalla dalle degli dei
    del dell della delle dello deve devono dobbiamo dopo dove dovrebbe dovremmo dunque essere fra gli
    hanno loro mentre molto negli nei nel nella nelle noi non nostra nostro ogni oppure per perché però
    più poi può quale quali quando quella quello questa queste questi questo quindi sarà senza siamo siano
    sono sopra sotto stata stato sua sul sulla sulle suo tra tutti tutto una uno
"""
_DUTCH = """
    aan als bij dan dat deze die dit dus een geen had heb hebben heeft het hier hun iets kan kunnen maar
    meer met moet moeten naar niet nog omdat onder ons onze ook over tot uit veel voor waar waarom wanneer
    wat welk welke werd wij worden wordt zal zich zij zijn zonder zou zouden
"""
_RUSSIAN_AND_UKRAINIAN = """
    аби або але без более буде було бути был была были было быть вам вас вже вона вони все всего всех всё
    від він где для его если есть еще ещё или його как какая какие какой когда коли которая которые
    который котрий кто либо лучше мають має между меня мне может можна можно надо нам нами нас наш наша
    наше наши него нее немає нет неё них нужно она они оно очень перед под после потому потрібно почему
    при про сейчас следует слід стоит так также такой там тем того тоже только том тому тот хотя чего чем
    через чого чому что чтобы щоб эта эти это этого этой этот яка який якщо які
"""

STOP_WORDS = frozenset(
    word
    for language in (
        _ENGLISH,
        _GERMAN,
        _FRENCH,
        _SPANISH_AND_PORTUGUESE,
        _ITALIAN,
        _DUTCH,
        _RUSSIAN_AND_UKRAINIAN,
    )
    for word in language.split()
)
