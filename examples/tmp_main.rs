use fabrik3d::{app, record, scene::Scene, session::command::*, view::Display};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let scene = if a[2] == "-" { Scene::demo() } else { Scene::open(&a[2]).unwrap() };
    let theme = if a.get(4).is_some_and(|t| t == "light") { Theme::Light } else { Theme::Dark };
    let display = Display::default().after(&DisplayCommand::Theme(theme));
    let script = a.get(5).map(|p| std::fs::read_to_string(p).unwrap().parse().unwrap()).unwrap_or_default();
    let trace: Option<Box<dyn std::io::Write>> =
        std::env::var("TRACE").ok().map(|p| Box::new(std::io::BufWriter::new(std::fs::File::create(p).unwrap())) as _);
    if a[1] == "render" {
        let r = record::run(
            record::Options {
                scene,
                display,
                size: (1280, 720),
                script,
                trace,
                out: a[3].clone().into(),
                seconds: None,
                fps: None,
            },
            &mut |a, b| eprintln!("{a}/{b}"),
            &false.into(),
        );
        if let Err(e) = r {
            eprintln!("error: {e}");
            std::process::exit(2)
        }
    } else {
        let r = app::run(app::Options {
            scene,
            reread: None,
            watch: None,
            display,
            size: (1280, 720),
            script,
            trace,
            exit_after: a[3].parse().ok(),
        });
        if let Err(e) = r {
            eprintln!("error: {e}");
            std::process::exit(2)
        }
    }
}
