//! Files are written whole or not at all.

use fabrik3d_scene::write_file;
use std::io;

#[test]
fn a_file_is_there_whole_or_as_it_was() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.csv");
    for (before, fails) in [(None, true), (None, false), (Some("old"), true), (Some("old"), false)] {
        let _ = std::fs::remove_file(&path);
        if let Some(before) = before {
            std::fs::write(&path, before)?;
        }
        let written = write_file(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            if fails { Err(io::Error::other("full")) } else { Ok(()) }
        });
        assert_eq!(written.is_err(), fails);
        let after = std::fs::read(&path).ok();
        let expected = if fails { before.map(|text| text.as_bytes().to_vec()) } else { Some(vec![b'x'; 100_000]) };
        assert_eq!(after, expected);
        assert!(std::fs::read_dir(folder.path())?.count() <= 1, "nothing else is left");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_stay_links_rights_stay_and_devices_are_written_to() -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    let folder = tempfile::tempdir()?;
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, "old")?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
    std::os::unix::fs::symlink(&file, &link)?;
    write_file(&link, |out| out.write_all(b"new"))?;
    assert!(link.is_symlink() && std::fs::read(&file)? == b"new");
    assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
    write_file(Path::new("/dev/null"), |out| out.write_all(b"new"))?;
    assert!(
        Path::new("/dev/full")
            .exists()
            .then(|| write_file(Path::new("/dev/full"), |out| out.write_all(b"x")))
            .is_none_or(|written| written.is_err())
    );
    assert!(write_file(folder.path(), |_| Ok(())).is_err(), "a folder is no file");
    Ok(())
}
