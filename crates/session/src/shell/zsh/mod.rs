use super::{Shell, Start};

pub(super) static ZSH: Shell = Shell {
    name: "zsh",
    files: &[
        ("zsh/cotty.zsh", include_str!("cotty.zsh")),
        ("zsh/.zshenv", include_str!("zshenv.zsh")),
        ("zsh/.zprofile", include_str!("zprofile.zsh")),
        ("zsh/.zshrc", include_str!("zshrc.zsh")),
        ("zsh/.zlogin", include_str!("zlogin.zsh")),
    ],
    start: |start: &mut Start<'_>| {
        let folder = start.file("zsh")?;
        start.added.insert("ZDOTDIR".to_owned(), folder);
        if let Some(theirs) = start.env.get("ZDOTDIR") {
            start.added.insert("COTTY_ZDOTDIR".to_owned(), theirs.clone());
        }
        Some(())
    },
    argument: None,
};
