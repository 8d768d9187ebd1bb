//! Turns short texts in many scripts into estimates, and holds them against a real tokenizer's counts.

use metier_core::{Estimate, TokenCounter};

/// Texts with their true number of tokens under o200k. The greatest error here is 18 %; a whole
/// file comes out far nearer.
#[test]
fn close_to_a_real_tokenizer_in_every_script() {
    for (what, tokens, text) in [
        (
            "English",
            30,
            "This skill fills in PDF forms. Use it when the user hands over a form and a \
             list of answers, or asks which fields are still empty.",
        ),
        (
            "German",
            35,
            "Dieses Werkzeug füllt Formulare aus. Verwende es, wenn jemand ein Formular und \
             eine Liste von Antworten übergibt oder wissen möchte, welche Felder noch leer \
             sind.",
        ),
        (
            "French",
            32,
            "Cet outil remplit des formulaires. Utilisez-le lorsque la personne fournit un \
             formulaire et une liste de réponses, ou demande quels champs sont encore vides.",
        ),
        (
            "Spanish",
            31,
            "Esta herramienta rellena formularios. Úsala cuando la persona entregue un \
             formulario y una lista de respuestas, o pregunte qué campos siguen vacíos.",
        ),
        (
            "Polish",
            38,
            "To narzędzie wypełnia formularze. Użyj go, gdy ktoś przekazuje formularz i \
             listę odpowiedzi albo pyta, które pola są jeszcze puste.",
        ),
        (
            "Vietnamese",
            37,
            "Công cụ này điền vào biểu mẫu. Hãy dùng nó khi người dùng đưa một biểu mẫu và \
             danh sách câu trả lời, hoặc hỏi những ô nào còn trống.",
        ),
        (
            "Russian",
            31,
            "Этот инструмент заполняет формы. Используйте его, когда пользователь передаёт \
             форму и список ответов или спрашивает, какие поля ещё пусты.",
        ),
        (
            "Ukrainian",
            40,
            "Цей інструмент заповнює форми. Використовуйте його, коли користувач передає \
             форму та список відповідей або питає, які поля ще порожні.",
        ),
        (
            "Greek",
            55,
            "Αυτό το εργαλείο συμπληρώνει φόρμες. Χρησιμοποιήστε το όταν ο χρήστης δίνει μια \
             φόρμα και μια λίστα απαντήσεων ή ρωτά ποια πεδία είναι ακόμη κενά.",
        ),
        (
            "Armenian",
            49,
            "Այս գործիքը լրացնում է ձևաթղթերը։ Օգտագործեք այն, երբ օգտատերը տալիս է ձևաթուղթ \
             և պատասխանների ցանկ, կամ հարցնում է, թե որ դաշտերն են դեռ դատարկ։",
        ),
        (
            "Georgian",
            45,
            "ეს ხელსაწყო ავსებს ფორმებს. გამოიყენეთ, როდესაც მომხმარებელი გადმოგცემთ ფორმას \
             და პასუხების სიას, ან კითხულობს, რომელი ველია ჯერ კიდევ ცარიელი.",
        ),
        (
            "Hebrew",
            39,
            "הכלי הזה ממלא טפסים. השתמשו בו כאשר המשתמש מוסר טופס ורשימת תשובות, או שואל \
             אילו שדות עדיין ריקים.",
        ),
        (
            "Arabic",
            39,
            "تملأ هذه الأداة النماذج. استخدمها عندما يقدم المستخدم نموذجا وقائمة من \
             الإجابات، أو يسأل عن الحقول التي ما زالت فارغة.",
        ),
        (
            "Hindi",
            36,
            "यह उपकरण फ़ॉर्म भरता है। जब उपयोगकर्ता फ़ॉर्म और उत्तरों की सूची दे, या पूछे कि \
             कौन से खाने अभी खाली हैं, तब इसका उपयोग करें।",
        ),
        (
            "Bengali",
            40,
            "এই সরঞ্জামটি ফর্ম পূরণ করে। ব্যবহারকারী যখন একটি ফর্ম এবং উত্তরের তালিকা দেন, \
             অথবা জানতে চান কোন ঘরগুলি এখনও খালি, তখন এটি ব্যবহার করুন।",
        ),
        (
            "Tamil",
            51,
            "இந்தக் கருவி படிவங்களை நிரப்புகிறது. பயனர் ஒரு படிவத்தையும் பதில்களின் \
             பட்டியலையும் தரும்போது, அல்லது எந்தப் புலங்கள் காலியாக உள்ளன என்று கேட்கும்போது \
             இதைப் பயன்படுத்தவும்.",
        ),
        (
            "Thai",
            37,
            "เครื่องมือนี้กรอกแบบฟอร์ม ใช้เมื่อผู้ใช้ส่งแบบฟอร์มและรายการคำตอบมาให้ \
             หรือถามว่าช่องใดยังว่างอยู่",
        ),
        (
            "Korean",
            38,
            "이 도구는 양식을 채웁니다. 사용자가 양식과 답변 목록을 건네거나 아직 비어 있는 항목이 무엇인지 물을 때 사용하세요.",
        ),
        (
            "Japanese",
            43,
            "このツールはフォームに記入します。利用者がフォームと回答の一覧を渡したとき、またはまだ空いている欄を尋ねたときに使ってください。",
        ),
        (
            "Chinese",
            28,
            "这个技能用于填写表单。当用户提供表单和答案列表，或者询问哪些字段仍然为空时，请使用它。",
        ),
        (
            "Code",
            38,
            "fn main() {\n    let name = std::env::args().nth(1).unwrap_or_default();\n    \
             println!(\"{name}: {}\", count_tokens(&name) + 1);\n}\n",
        ),
        (
            "Table",
            37,
            "| field | type | default |\n|-------|------|---------|\n| `max_active` | \
             integer | 5 |\n| `timeout_ms` | integer | 30000 |\n",
        ),
        (
            "Frontmatter",
            58,
            "---\nname: pdf-form-filler\ndescription: Fills in PDF forms. Use when the user \
             mentions a form, an application or a tax return.\nlicense: MIT\nallowed-tools: \
             Bash(python3:*) Read Write\nmetadata:\n  version: \"1.10\"\n---\n",
        ),
    ] {
        let estimate = Estimate.count(text);
        assert!(estimate.abs_diff(tokens) * 100 <= tokens * 20, "{what}: {estimate} for {tokens}");
    }
}
