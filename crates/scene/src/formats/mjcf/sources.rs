//! A model as one text: files that are included stand where they are included.

use crate::error::SceneError;
use crate::formats::SourceFile;
use crate::formats::xml::{self, attribute, fault};
use crate::printable::short;
use crate::references::Folders;
use crate::source::LARGEST_FILE;
use crate::syntax_tree::fault::Fault;
use roxmltree::Node;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Most files of a model: far more than models have, and few enough to be read inside each other.
const MAX_FILES: usize = 256;

pub(crate) struct Sources {
    pub text: String,
    /// The files, the model itself first.
    files: Vec<Part>,
    /// Where the pieces of the text come from: where each begins, its file, and where it begins there.
    pieces: Vec<(usize, usize, usize)>,
}

struct Part {
    path: PathBuf,
    origin: String,
    text: String,
}

impl Sources {
    /// The text of a model, whose file is `file`, with all that it includes.
    pub fn read(text: &str, file: &SourceFile<'_>) -> Result<Self, SceneError> {
        let mut sources = Sources { text: String::new(), files: Vec::new(), pieces: Vec::new() };
        let main = Part { path: file.path.to_owned(), origin: file.origin.to_owned(), text: text.to_owned() };
        let mut folders = Folders::of(&file.options.files);
        sources.files.push(main);
        sources.add(0, file, &mut folders)?;
        Ok(sources)
    }

    /// Adds the text of a file: of an included one, what its root element holds.
    fn add(&mut self, at: usize, file: &SourceFile<'_>, folders: &mut Folders) -> Result<(), SceneError> {
        let text = self.files[at].text.clone();
        let in_text = |fault: Fault, origin: &str| fault.in_text(origin, &text);
        let document = xml::parse(&text).map_err(|fault| in_text(fault, &self.files[at].origin))?;
        let root = document.root_element();
        let inside =
            root.first_child().zip(root.last_child()).map(|(first, last)| first.range().start..last.range().end);
        let whole = if at == 0 { 0..text.len() } else { inside.unwrap_or(0..0) };
        let mut from = whole.start;
        for node in root.descendants().filter(|node| node.has_tag_name("include")) {
            let Range { start, end } = node.range();
            self.push(at, from..start, &text);
            from = end;
            let included = self.include(node, at, file, folders);
            let included = included.map_err(|fault| in_text(fault, &self.files[at].origin))?;
            let path = included;
            let origin = path.display().to_string();
            let bytes = file.options.files.read_regular(&path, LARGEST_FILE)?;
            let (text, _) = xml::with_declared_prefixes(xml::text(bytes, &origin)?);
            if self.text.len() + text.len() > LARGEST_FILE as usize {
                return Err(SceneError::new(origin, "the model is too large with the files that it includes"));
            }
            self.files.push(Part { path, origin, text });
            self.add(self.files.len() - 1, file, folders)?;
        }
        self.push(at, from..whole.end, &text);
        Ok(())
    }

    /// The file that an element includes, which is looked for beside the model and beside the file with the element. A file is
    /// included once, as in MuJoCo, so none includes itself.
    fn include(
        &self,
        node: Node<'_, '_>,
        at: usize,
        file: &SourceFile<'_>,
        folders: &mut Folders,
    ) -> Result<PathBuf, Fault> {
        let name = attribute(node, "file")?;
        if node.has_children() {
            return Err(fault(node, "an <include> is empty").hint("what it includes stands in its file"));
        }
        let beside = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
        let places = [file.folder().to_owned(), beside(&self.files[at].path)];
        let found = folders.find(name, |name| {
            places.clone().into_iter().map(|folder| folder.join(name)).collect::<Vec<_>>().into_iter()
        });
        let path = found.ok_or_else(|| {
            fault(node, format!("there is no file `{}` to include", short(name)))
                .hint("names are relative to the folder of the model")
        })?;
        let absolute = |path: &Path| file.options.files.absolute(path);
        if self.files.iter().any(|known| absolute(&known.path) == absolute(&path)) {
            let message = format!("`{}` is included already, or includes itself", short(name));
            return Err(fault(node, message).hint("a model includes each file once: remove this line"));
        }
        match self.files.len() < MAX_FILES {
            true => Ok(path),
            false => Err(fault(node, format!("a model of more than {MAX_FILES} files is not supported"))),
        }
    }

    fn push(&mut self, file: usize, range: Range<usize>, text: &str) {
        self.pieces.push((self.text.len(), file, range.start));
        self.text += &text[range];
    }

    /// The file of a fault, and the fault with its place in that file.
    fn place(&self, mut fault: Fault) -> (&Part, Fault) {
        let piece = fault.place.map(|at| self.pieces[self.pieces.partition_point(|piece| piece.0 <= at).max(1) - 1]);
        fault.place = fault.place.zip(piece).map(|(at, (start, _, from))| at - start + from);
        (&self.files[piece.map_or(0, |(_, file, _)| file)], fault)
    }

    /// The error for a fault in the text.
    pub fn error(&self, fault: Fault) -> SceneError {
        let (file, fault) = self.place(fault);
        fault.in_text(&file.origin, &file.text)
    }

    /// A fault as a warning, with its line, and with its file if that is included.
    pub fn warning(&self, fault: Fault) -> String {
        let (file, fault) = self.place(fault);
        let warning = fault.warning(&file.text);
        if file.path == self.files[0].path { warning } else { format!("{}: {warning}", file.origin) }
    }
}
