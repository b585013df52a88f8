#include "api/apply/fields/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "api/validation/go_text.h"
#include "json/parse.h"

namespace proa::api {
namespace place {

using json::Kind;
using json::Value;

Atom anything(Place values, bool map_atomic) {
  return {.scalar = Scalar::kAny,
          .list = true,
          .map = true,
          .list_atomic = true,
          .keys = {},
          .items = Place::whole(),
          .map_atomic = map_atomic,
          .values = values};
}

Atom of_scalar(Scalar scalar) {
  Atom atom;
  atom.scalar = scalar;
  return atom;
}

Atom of_type(const Type& type) {
  switch (type.form) {
    case Form::kString:
    case Form::kBytes:
    case Form::kDuration:
      return of_scalar(Scalar::kString);
    case Form::kBool:
      return of_scalar(Scalar::kBool);
    case Form::kInt32:
    case Form::kInt64:
    case Form::kDouble:
      return of_scalar(Scalar::kNumber);
    case Form::kQuantity:
    case Form::kTime:
    case Form::kMicroTime:
      return of_scalar(Scalar::kAny);
    case Form::kRaw:
      return Place::whole().resolve();
    case Form::kStrings: {
      Atom atom;
      atom.list = true;
      atom.items = Place(*scalar_type("string"));
      return atom;
    }
    case Form::kMessage:
      break;
    default:
      // OpenAPI v3 says no type for these, which means any.
      return Place::deduced().resolve();
  }
  Atom atom;
  atom.map = true;
  atom.map_atomic = type.map_type == MapType::kAtomic;
  atom.fields = &type;
  // An object without properties is a free-form one.
  if (type.fields.empty()) atom.values = Place::deduced();
  return atom;
}

Atom of_list(const Field& field) {
  Atom atom;
  atom.list = true;
  atom.items = Place(*field.type);
  const FieldRules* rules = field.rules;
  if (rules == nullptr) return atom;
  switch (rules->list_type) {
    case ListType::kAtomic:
      return atom;
    case ListType::kSet:
      atom.list_atomic = false;
      return atom;
    case ListType::kMap:
      atom.list_atomic = false;
      atom.keys = rules->keys;
      return atom;
    case ListType::kNone:
      break;
  }
  // As strategic merge patches treat it.
  if (!rules->patch.merge) return atom;
  atom.list_atomic = false;
  if (!rules->patch.key.empty()) atom.keys = {&rules->patch.key, 1};
  return atom;
}

Atom of_field(const Field& field) {
  if (field.shape == Shape::kList) return of_list(field);
  const MapType map_type = field.rules == nullptr ? MapType::kNone : field.rules->map_type;
  if (field.shape == Shape::kMap) {
    Atom atom;
    atom.map = true;
    atom.map_atomic = map_type == MapType::kAtomic;
    atom.values = Place(*field.type);
    return atom;
  }
  Atom atom = of_type(*field.type);
  // The field has the last word.
  if (atom.map && map_type != MapType::kNone) atom.map_atomic = map_type == MapType::kAtomic;
  return atom;
}

Scalar scalar_of(const Structure& structure) {
  switch (structure.kind) {
    case StructureKind::kNone:
      return Scalar::kAny;
    case StructureKind::kString:
      return structure.formatted ? Scalar::kAny : Scalar::kString;
    case StructureKind::kInteger:
    case StructureKind::kNumber:
      return Scalar::kNumber;
    case StructureKind::kBoolean:
      return Scalar::kBool;
    default:
      return Scalar::kNone;
  }
}

// Of keys that are not properties. REQUIRES: the properties of `atom` are known.
Place additional_values(const Structure& structure, const Atom& atom) {
  if (structure.additional != nullptr) return Place(*structure.additional, atom.open);
  const bool free =
      structure.states_additional ? structure.allows_additional : atom.open || !atom.has_fields();
  return free ? Place::deduced() : Place();
}

// A schema without a type allows anything; what it says of lists and maps holds for those.
Atom of_structure(const Structure& structure, bool open, bool object) {
  Atom atom = of_scalar(scalar_of(structure));
  const bool any = structure.kind == StructureKind::kNone;
  atom.open = open || structure.preserves_unknown;
  if (any || structure.kind == StructureKind::kArray) {
    atom.list = true;
    atom.list_atomic =
        structure.list_type != ListType::kSet && structure.list_type != ListType::kMap;
    if (structure.list_type == ListType::kMap) atom.keys = structure.keys();
    atom.items = structure.items == nullptr ? Place::whole() : Place(*structure.items, atom.open);
  }
  if (any || structure.kind == StructureKind::kObject) {
    atom.map = true;
    atom.map_atomic = structure.map_type == MapType::kAtomic;
    atom.structure = &structure;
    atom.object = object || structure.embedded_resource;
    atom.values = additional_values(structure, atom);
  }
  return atom;
}

// A field that every object has.
Place object_field(std::string_view name) {
  static const Type& metadata =
      *builtin_schema().find_openapi("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  if (name == "metadata") return Place(metadata);
  const bool text = name == "apiVersion" || name == "kind";
  return text ? Place(*scalar_type("string")) : Place();
}

// The default of a key, in the arena; null if it has none. Fields that JSON always has, and that
// are no pointers, have their zero value as default in OpenAPI.
const Value* default_of(const Atom& item, std::string_view name, json::Arena& arena) {
  if (item.structure != nullptr) {
    if (item.object && object_field(name).declared()) return nullptr;
    const Property* property = item.structure->find(name);
    return property == nullptr ? nullptr : property->structure->default_value;
  }
  const Field* field = item.fields == nullptr ? nullptr : item.fields->find(name);
  if (field == nullptr || field->shape != Shape::kSingle) return nullptr;
  const auto keep = [&](Value value) {
    return new (arena.allocate(sizeof(Value), alignof(Value))) Value(std::move(value));
  };
  if (field->rules != nullptr && !field->rules->default_json.empty()) {
    const json::Document parsed = json::parse_literal(field->rules->default_json);
    return keep(parsed.root().copy(arena));
  }
  if (field->omit != Omit::kNever || field->pointer) return nullptr;
  switch (of_type(*field->type).scalar) {
    case Scalar::kString:
      return keep(Value::borrowed(""));
    case Scalar::kNumber:
      return keep(Value::integer(0));
    case Scalar::kBool:
      return keep(Value::boolean(false));
    default:
      return nullptr;
  }
}

ItemElement keyed_element(const Atom& list, const Value& item, json::Arena& arena) {
  if (item.is_null()) return {.problem = "associative list with keys may not have a null element"};
  if (!item.is(Kind::kObject))
    return {.problem = "associative list with keys may not have non-map elements"};
  std::vector<Element::KeyField> fields;
  fields.reserve(list.keys.size());
  for (const std::string_view key : list.keys) {
    const Value* value = item.find(key);
    if (value == nullptr) value = default_of(list.items.resolve(), key, arena);
    if (value != nullptr) fields.push_back({key, value});
  }
  if (fields.empty()) {
    std::string names;
    for (const std::string_view key : list.keys) {
      if (!names.empty()) names += ' ';
      names += quoted(key);
    }
    return {.problem = fmt::format("associative list with keys has an element that omits all key "
                                   "fields [{}] (and doesn't have default values for any key "
                                   "fields)",
                                   names)};
  }
  std::ranges::sort(fields, {}, &Element::KeyField::name);
  return {.element = Element::key(keep_key(fields, arena))};
}

ItemElement set_element(const Value& item) {
  switch (item.kind()) {
    case Kind::kObject:
      return {.problem = "associative list without keys has an element that's a map type"};
    case Kind::kArray:
      return {.problem = "not supported: associative list with lists as elements"};
    case Kind::kNull:
      return {.problem = "associative list without keys has an element that's an explicit null"};
    default:
      return {.element = Element::value(item)};
  }
}

}  // namespace place

Atom Place::resolve() const {
  switch (kind_) {
    case Kind::kType:
      return place::of_type(*type_);
    case Kind::kField:
      return place::of_field(*field_);
    case Kind::kStructure:
      return place::of_structure(*structure_, open_, false);
    case Kind::kCustomObject:
      return place::of_structure(*structure_, open_, true);
    case Kind::kWhole:
      return place::anything(whole(), true);
    case Kind::kDeduced:
      return place::anything(deduced(), false);
    case Kind::kNone:
      break;
  }
  return {};
}

Place Atom::find(std::string_view name, size_t& guess) const {
  if (object) {
    const Place field = place::object_field(name);
    if (field.declared()) return field;
  }
  if (fields != nullptr) {
    const Field* field = fields->find(name, guess);
    if (field == nullptr) return {};
    guess = fields->index_of(*field) + 1;
    return Place(*field);
  }
  const Property* property = structure == nullptr ? nullptr : structure->find(name, guess);
  if (property == nullptr) return {};
  guess = static_cast<size_t>(property - structure->properties.data()) + 1;
  return Place(*property->structure, open);
}

Atom Atom::fitting(const json::Value* value) const {
  if (value == nullptr || value->is_null()) return *this;
  const bool is_list = value->is(json::Kind::kArray);
  const bool is_map = value->is(json::Kind::kObject);
  const bool fits = is_list ? list : is_map ? map : scalar != Scalar::kNone;
  if (!fits) return *this;
  Atom reduced = *this;
  reduced.list = is_list;
  reduced.map = is_map;
  if (is_list || is_map) reduced.scalar = Scalar::kNone;
  return reduced;
}

ItemElement item_element(const Atom& list, const json::Value& item, json::Arena& arena) {
  return list.keys.empty() ? place::set_element(item) : place::keyed_element(list, item, arena);
}

}  // namespace proa::api
