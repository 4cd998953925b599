//! Buffers and accessors. Every access is checked.

use super::container::{Container, decode_base64};
use super::lists::{Lists, count, count_of, index, index_of, require, word};
use crate::files::Files;
use crate::printable::short;
use crate::references::{Folders, plain};
use crate::source::LARGEST_FILE;
use crate::syntax_tree::fault::{Fault, Read};
use crate::syntax_tree::fields::Item;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Largest number that an accessor may hold, far from the end of 32-bit floats.
pub(crate) const LARGEST: f64 = 1e30;

/// The buffers of a document.
pub(crate) struct Data<'a> {
    pub lists: &'a Lists<'a>,
    container: Container<'a>,
    /// The bytes of each buffer; many can be those of one file.
    buffers: Vec<Rc<Cow<'a, [u8]>>>,
    /// Folder of the document's files.
    folder: &'a Path,
    /// Where they are read from.
    pub files: &'a Files,
    /// Size of all data in bytes, an upper bound for the number of elements of an accessor.
    size: usize,
}

/// Where the bytes of an image are.
pub(crate) enum Stored<'a> {
    Bytes(Cow<'a, [u8]>),
    File(PathBuf),
}

/// Component type of an accessor.
#[derive(Clone, Copy)]
struct Component {
    code: usize,
    size: usize,
    /// Divisor of a normalized integer.
    unit: f64,
    /// The number at the start of a slice that has enough bytes.
    read: fn(&[u8]) -> f64,
}

const COMPONENTS: [Component; 6] = [
    Component { code: 5120, size: 1, unit: 127.0, read: |bytes| f64::from(bytes[0] as i8) },
    Component { code: 5121, size: 1, unit: 255.0, read: |bytes| f64::from(bytes[0]) },
    Component { code: 5122, size: 2, unit: 32767.0, read: |bytes| f64::from(i16::from_le_bytes([bytes[0], bytes[1]])) },
    Component { code: 5123, size: 2, unit: 65535.0, read: |bytes| f64::from(u16::from_le_bytes([bytes[0], bytes[1]])) },
    Component { code: 5125, size: 4, unit: 1.0, read: |bytes| f64::from(u32::from_le_bytes(four(bytes))) },
    Component { code: 5126, size: 4, unit: 1.0, read: |bytes| f64::from(f32::from_le_bytes(four(bytes))) },
];

/// The shape of an element: the `type` of an accessor.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    columns: usize,
    rows: usize,
}

const SHAPES: [Shape; 7] = [
    Shape { name: "SCALAR", columns: 1, rows: 1 },
    Shape { name: "VEC2", columns: 1, rows: 2 },
    Shape { name: "VEC3", columns: 1, rows: 3 },
    Shape { name: "VEC4", columns: 1, rows: 4 },
    Shape { name: "MAT2", columns: 2, rows: 2 },
    Shape { name: "MAT3", columns: 3, rows: 3 },
    Shape { name: "MAT4", columns: 4, rows: 4 },
];

impl Shape {
    /// The shape of elements with so many numbers, of those that are read.
    fn of_width(numbers: usize) -> Self {
        SHAPES[match numbers {
            1..=4 => numbers - 1,
            _ => SHAPES.len() - 1,
        }]
    }

    /// Bytes of an element, and from one element to the next where no stride is given. The columns of matrices begin at
    /// multiples of four bytes.
    fn sizes(self, component: Component) -> (usize, usize) {
        let column = self.rows * component.size;
        let step = if self.columns == 1 { column } else { column.next_multiple_of(4) };
        ((self.columns - 1) * step + column, self.columns * step)
    }
}

/// Where the elements of an accessor are.
struct Stretch<'i, 'a> {
    length: usize,
    component: Component,
    /// The bytes from the first element on, and from one element to the next; without bytes, all numbers are zero.
    bytes: Option<(&'a [u8], usize)>,
    sparse: Option<Replacements<'i, 'a>>,
}

/// The elements of an accessor that others replace.
struct Replacements<'i, 'a> {
    /// The list of their indices.
    at: Item<'i>,
    /// The type of the indices.
    kind: Component,
    indices: &'a [u8],
    new: &'a [u8],
}

fn four(bytes: &[u8]) -> [u8; 4] {
    [bytes[0], bytes[1], bytes[2], bytes[3]]
}

impl<'a> Data<'a> {
    /// Finds the bytes of all buffers: in the binary chunk, in data URIs, or in files in `folder`.
    pub fn new(lists: &'a Lists<'a>, container: Container<'a>, (folder, files): (&'a Path, &'a Files)) -> Read<Self> {
        let mut data = Data { lists, container, buffers: Vec::new(), folder, files, size: container.json.len() };
        let mut read: HashMap<&str, Rc<Cow<'_, [u8]>>> = HashMap::new();
        for (at, buffer) in lists.buffers.iter().enumerate() {
            let length = count(&require(buffer, "byteLength")?)?;
            let bytes = match (word(buffer, "uri")?, container.binary) {
                (None, Some(binary)) if at == 0 => Rc::new(binary.into()),
                (None, _) => return Err(buffer.fault("lacks the key `uri`, and there is no binary chunk for it")),
                (Some(uri), _) => match read.get(uri) {
                    Some(known) => known.clone(),
                    None => read.entry(uri).or_insert(Rc::new(data.read(buffer, uri)?.into())).clone(),
                },
            };
            data.buffers.push(bytes);
            let found = data.buffer(at).len();
            if found < length {
                return Err(buffer.fault(format!("should have {length} bytes, but has {found}")));
            }
            data.size = data.size.saturating_add(length);
        }
        Ok(data)
    }

    /// The bytes of a data URI, or of a file.
    fn read(&self, buffer: &Item<'_>, uri: &str) -> Read<Vec<u8>> {
        if let Some(bytes) = embedded(buffer, uri)? {
            return Ok(bytes);
        }
        self.files
            .read_regular(&self.beside(buffer, uri)?, LARGEST_FILE)
            .map_err(|error| buffer.fault(format!("{}: {}", error.origin, error.message)).hint_some(error.hint))
    }

    /// The file of a relative URI. The specification has no others: an absolute path would be that of another machine.
    fn beside(&self, item: &Item<'_>, uri: &str) -> Read<PathBuf> {
        let path = plain(uri);
        let has_scheme = uri.contains("://") || uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
        if has_scheme || Path::new(&path).has_root() {
            let message = format!("its `uri` is {}, which is not read", short(uri));
            return Err(item.fault(message).hint("a `uri` is relative to the folder of the file"));
        }
        let here = |name: &str| std::iter::once(self.folder.join(name));
        Ok(Folders::of(self.files).find(uri, here).unwrap_or_else(|| self.folder.join(path)))
    }

    /// Where the bytes of an image are.
    pub fn picture(&self, image: &Item<'_>) -> Read<Stored<'_>> {
        if let Some(view) = image.get("bufferView") {
            return Ok(Stored::Bytes(self.view(&view, 0)?.0.into()));
        }
        let Some(uri) = word(image, "uri")? else {
            return Err(image.fault("has neither a `uri` nor a `bufferView`"));
        };
        if let Some(bytes) = embedded(image, uri)? {
            return Ok(Stored::Bytes(bytes.into()));
        }
        if uri.contains("://") {
            return Err(image.fault(format!("images are not downloaded from {}", short(uri))));
        }
        self.beside(image, uri).map(Stored::File)
    }

    /// A fault of a part that the rest of the file does not need.
    pub fn warning(&self, fault: Fault) -> String {
        self.container.placed(fault).warning(self.container.json)
    }

    pub fn buffer(&self, at: usize) -> &[u8] {
        &self.buffers[at]
    }

    /// The bytes of a buffer view after `offset`, and its stride if it has one.
    fn view(&self, item: &Item<'_>, offset: usize) -> Read<(&[u8], Option<usize>)> {
        let view = &self.lists.buffer_views[index(item, &self.lists.buffer_views, "buffer view")?];
        let buffer = index(&require(view, "buffer")?, &self.lists.buffers, "buffer")?;
        let start = count_of(view, "byteOffset")?.unwrap_or(0);
        let length = count(&require(view, "byteLength")?)?;
        let bytes = self.buffer(buffer);
        let end = start.checked_add(length).filter(|&end| end <= bytes.len());
        let end = end.ok_or_else(|| view.fault(format!("ends after the {} bytes of buffer {buffer}", bytes.len())))?;
        let stride = count_of(view, "byteStride")?;
        if stride.is_some_and(|stride| !(4..=252).contains(&stride)) {
            return Err(view.fault("`byteStride` must be from 4 to 252"));
        }
        let part = bytes[start..end].get(offset..);
        Ok((part.ok_or_else(|| item.fault(format!("starts after the {length} bytes of its buffer view")))?, stride))
    }

    /// The accessor of a key, if present.
    pub fn accessor<'i>(&self, item: &Item<'i>, key: &str) -> Read<Option<Item<'i>>> {
        let found = index_of(item, key, &self.lists.accessors, "accessor")?;
        Ok(found.and_then(|_| item.get(key)))
    }

    /// The elements of an accessor as floats; normalized integers become fractions.
    pub fn floats<const N: usize>(&self, reference: &Item<'_>) -> Read<Vec<[f32; N]>> {
        let elements = self.elements::<N>(reference)?;
        if let Some(large) = elements.iter().flatten().find(|value| !(-LARGEST..=LARGEST).contains(*value)) {
            return Err(
                reference.fault(format!("its accessor holds {large:e}; numbers must be finite, at most {LARGEST:e}"))
            );
        }
        Ok(elements.into_iter().map(|element| element.map(|value| value as f32)).collect())
    }

    /// The elements of an accessor of integers.
    pub fn integers<const N: usize>(&self, reference: &Item<'_>) -> Read<Vec<[u32; N]>> {
        let accessor = &self.lists.accessors[index(reference, &self.lists.accessors, "accessor")?];
        let component = component(accessor)?;
        if ![5121, 5123, 5125].contains(&component.code) {
            return Err(accessor.fault("expected unsigned integers (`componentType` 5121, 5123 or 5125)"));
        }
        Ok(self.elements::<N>(reference)?.into_iter().map(|element| element.map(|value| value as u32)).collect())
    }

    fn elements<const N: usize>(&self, reference: &Item<'_>) -> Read<Vec<[f64; N]>> {
        let accessor = &self.lists.accessors[index(reference, &self.lists.accessors, "accessor")?];
        let shape = Shape::of_width(N);
        let found = word(accessor, "type")?.unwrap_or_default();
        if found != shape.name {
            return Err(accessor.fault(format!("expected `type` \"{}\", found {found:?}", shape.name)));
        }
        let Stretch { length, component, bytes, sparse } = self.stretch(accessor, shape)?;
        let normalized = accessor.get("normalized").is_some_and(|value| value.node.describe() == "true");
        let unit = if normalized { component.unit } else { 1.0 };
        let number = |bytes: &[u8]| {
            let value = (component.read)(bytes) / unit;
            if normalized { value.max(-1.0) } else { value }
        };
        let element = |bytes: &[u8]| std::array::from_fn(|i| number(&bytes[i * component.size..]));
        let mut elements = match bytes {
            None => vec![[0.0; N]; length],
            Some((bytes, stride)) => (0..length).map(|at| element(&bytes[at * stride..])).collect(),
        };
        let Some(Replacements { at, kind, indices, new }) = sparse else { return Ok(elements) };
        for (index, new) in indices.chunks_exact(kind.size).zip(new.chunks_exact(N * component.size)) {
            let place = (kind.read)(index);
            let replaced = elements.get_mut(place as usize).filter(|_| place >= 0.0);
            *replaced.ok_or_else(|| at.fault(format!("there is no element {place} to replace")))? = element(new);
        }
        Ok(elements)
    }

    /// Checks an accessor that nothing may read: whether the file has its elements.
    pub fn check(&self, accessor: &Item<'_>) -> Read<()> {
        let name = word(accessor, "type")?.unwrap_or_default();
        let shape = SHAPES.into_iter().find(|shape| shape.name == name).ok_or_else(|| {
            let names = SHAPES.map(|shape| format!("\"{}\"", shape.name)).join(", ");
            accessor.fault(format!("its `type` is {name:?}, which is not one of {names}"))
        })?;
        self.stretch(accessor, shape).map(drop)
    }

    /// Where the elements of an accessor are. The file has all of them.
    fn stretch<'i>(&self, accessor: &Item<'i>, shape: Shape) -> Read<Stretch<'i, '_>> {
        let component = component(accessor)?;
        let length = count(&require(accessor, "count")?)?;
        if length == 0 || length > self.size {
            return Err(accessor.fault(format!("says {length} elements, but the file has {} bytes", self.size)));
        }
        let (size, step) = shape.sizes(component);
        let bytes = match accessor.get("bufferView") {
            None => None,
            Some(view) => {
                let offset = count_of(accessor, "byteOffset")?.unwrap_or(0);
                let (bytes, stride) = self.view(&view, offset)?;
                let stride = stride.unwrap_or(step);
                let needed = (length - 1).checked_mul(stride).and_then(|last| last.checked_add(size));
                if stride < size || needed.is_none_or(|needed| needed > bytes.len()) {
                    return Err(accessor.fault(format!("{length} elements do not fit into its buffer view")));
                }
                Some((bytes, stride))
            }
        };
        let sparse = accessor.get("sparse").map(|sparse| self.replacements(&sparse, step)).transpose()?;
        Ok(Stretch { length, component, bytes, sparse })
    }

    /// What `sparse` replaces, by elements of so many bytes.
    fn replacements<'i>(&self, sparse: &Item<'i>, step: usize) -> Read<Replacements<'i, '_>> {
        let length = count(&require(sparse, "count")?)?;
        let (at, values) = (require(sparse, "indices")?, require(sparse, "values")?);
        let kind = component(&at)?;
        let part = |item: &Item<'_>, size: usize| {
            let offset = count_of(item, "byteOffset")?.unwrap_or(0);
            let (bytes, _) = self.view(&require(item, "bufferView")?, offset)?;
            let part = length.checked_mul(size).and_then(|needed| bytes.get(..needed));
            part.ok_or_else(|| item.fault(format!("{length} elements do not fit into its buffer view")))
        };
        let (indices, new) = (part(&at, kind.size)?, part(&values, step)?);
        Ok(Replacements { at, kind, indices, new })
    }
}

/// The bytes of a data URI (RFC 2397): base64, or percent-encoded bytes. None for the URI of a file.
fn embedded(item: &Item<'_>, uri: &str) -> Read<Option<Vec<u8>>> {
    let Some(rest) = uri.split_at_checked(5).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("data:")) else {
        return Ok(None);
    };
    let (kind, data) = rest.1.split_once(',').ok_or_else(|| item.fault("its `uri` has no comma before the data"))?;
    let data: Cow<'_, [u8]> = percent_decode_str(data).into();
    if !kind.to_ascii_lowercase().ends_with(";base64") {
        return Ok(Some(data.into_owned()));
    }
    decode_base64(&data).map(Some).ok_or_else(|| item.fault("its `uri` is not valid base64 data"))
}

fn component(item: &Item<'_>) -> Read<Component> {
    let code = require(item, "componentType")?;
    let number = count(&code)?;
    let known = COMPONENTS.into_iter().find(|component| component.code == number);
    known.ok_or_else(|| code.fault("is not one of 5120, 5121, 5122, 5123, 5125 and 5126"))
}
