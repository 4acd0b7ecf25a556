//! The version resource of a DLL, by `windres`. Without windres the DLL has none, and the build says so.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The resource script: names, version and licence as in Cargo.toml. Numbers instead of the names of `windows.h`, which
/// windres would need a preprocessor for: 0x40004 is Windows on NT, 2 a DLL, 0x409 and 1200 English in Unicode.
fn script() -> String {
    let package = |name: &str| env::var(format!("CARGO_PKG_{name}")).unwrap_or_default();
    let [major, minor, patch] = ["VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH"].map(package);
    let (version, description, license) = (package("VERSION"), package("DESCRIPTION"), package("LICENSE"));
    format!(
        r#"1 VERSIONINFO
FILEVERSION {major}, {minor}, {patch}, 0
PRODUCTVERSION {major}, {minor}, {patch}, 0
FILEFLAGSMASK 0x3f
FILEFLAGS 0
FILEOS 0x40004
FILETYPE 2
BEGIN
    BLOCK "StringFileInfo"
    BEGIN
        BLOCK "040904b0"
        BEGIN
            VALUE "FileDescription", "{description}"
            VALUE "FileVersion", "{version}"
            VALUE "InternalName", "ballesta"
            VALUE "LegalCopyright", "{license}"
            VALUE "OriginalFilename", "ballesta.dll"
            VALUE "ProductName", "ballesta"
            VALUE "ProductVersion", "{version}"
        END
    END
    BLOCK "VarFileInfo"
    BEGIN
        VALUE "Translation", 0x409, 1200
    END
END
"#
    )
}

/// Compiles the resource and hands it to the linker of the library.
pub fn link() {
    println!("cargo::rerun-if-env-changed=WINDRES");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (source, object) = (out.join("version.rc"), out.join("version.o"));
    std::fs::write(&source, script()).expect("OUT_DIR can be written");
    let windres = env::var("WINDRES").unwrap_or_else(|_| {
        if cfg!(windows) { "windres".to_string() } else { "x86_64-w64-mingw32-windres".to_string() }
    });
    // The script needs no preprocessor; windres starts one all the same.
    let status = Command::new(&windres)
        .args(["--input-format=rc", "--output-format=coff", "--target=pe-x86-64", "-i"])
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .status();
    match status {
        Ok(status) if status.success() => println!("cargo::rustc-cdylib-link-arg={}", object.display()),
        Ok(status) => println!("cargo::warning=the DLL gets no version resource: {windres} ended with {status}"),
        Err(error) => println!("cargo::warning=the DLL gets no version resource: {windres} cannot be started: {error}"),
    }
}
