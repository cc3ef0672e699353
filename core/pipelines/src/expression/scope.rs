//! Scopes: the references that exist at a place, and their types.
//!
//! Constants carry no type in files; they are decoded with the type of their target, or of the other side of a comparison.

use planfuzz_core::schema::Block;
use planfuzz_core::value::Type;

use super::{Expr, Ref};
use crate::path::{DIALECT, Place};

/// The types of all values that an expression can refer to.
#[derive(Clone, Debug)]
pub struct Scope {
    root: Type,
    object: Option<Type>,
    this: Option<Type>,
}

impl Scope {
    /// The scope of resource-level rules; it has no attribute.
    pub fn of_resource(root: &Block) -> Scope {
        Scope { root: root.implied_type(DIALECT), object: None, this: None }
    }

    /// The scope of the rules of an attribute or block.
    pub fn of_place(root: &Block, place: &Place<'_>) -> Scope {
        Scope { object: Some(place.object_type()), this: Some(place.ty()), ..Scope::of_resource(root) }
    }

    /// The scope of the rules of the element objects of a nested attribute or block; siblings are those of the whole.
    pub fn of_elements(root: &Block, place: &Place<'_>) -> Scope {
        Scope { this: place.element_type(), ..Scope::of_place(root, place) }
    }

    /// The scope of an attribute that stands alone.
    pub fn of_attribute(ty: Type) -> Scope {
        Scope { root: Type::empty_object(), object: None, this: Some(ty) }
    }

    /// The type of the attribute itself, where there is one.
    pub fn this(&self) -> Option<&Type> {
        self.this.as_ref()
    }

    /// The type of the whole object.
    pub fn root(&self) -> &Type {
        &self.root
    }

    /// The type of a top-level attribute or block.
    pub fn member(&self, name: &str) -> Option<&Type> {
        member(&self.root, name)
    }

    /// The type of a reference; `None` if it leads nowhere.
    pub fn type_of_ref(&self, reference: &Ref) -> Option<&Type> {
        match reference {
            Ref::This(_) => self.this.as_ref(),
            Ref::Sibling(_, name) => member(self.object.as_ref().unwrap_or(&self.root), name),
            Ref::Root(_, names) => names.iter().try_fold(&self.root, |ty, name| member(ty, name)),
        }
    }

    /// The type of an expression by itself; `None` for null, unknown and constants, which take the type of their target.
    pub fn type_of(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Null | Expr::Unknown | Expr::Const(_) => None,
            Expr::Ref(reference) => self.type_of_ref(reference).cloned(),
            Expr::Canon(_, of) => self.type_of(of),
            Expr::Concat(_) | Expr::Hash(_) => Some(Type::String),
            Expr::Add(..) | Expr::Length(_) => Some(Type::Number),
            Expr::If(_, then, otherwise) => self.type_of(then).or_else(|| self.type_of(otherwise)),
        }
    }

    /// The type for both sides of a comparison; without a type of their own it is that of the attribute.
    pub fn common_type(&self, a: &Expr, b: &Expr) -> Option<Type> {
        self.type_of(a).or_else(|| self.type_of(b)).or_else(|| self.this.clone())
    }
}

fn member<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let object = ty.as_object()?;
    object.index_of(name).map(|index| &object.attributes()[index].ty)
}
