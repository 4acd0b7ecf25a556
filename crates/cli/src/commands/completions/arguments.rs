//! Arguments of `ballesta completions`.

use clap::Args;

/// `ballesta completions`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ballesta completions bash > ~/.local/share/bash-completion/completions/ballesta
  ballesta completions zsh > ~/.zfunc/_ballesta
  ballesta completions fish > ~/.config/fish/completions/ballesta.fish")]
pub struct Completions {
    /// Shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// Print the script in one JSON object
    #[arg(long)]
    pub json: bool,
}
