#include "api/codec/json/from_json.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/codec/absent.h"
#include "api/codec/json/field_path.h"
#include "api/codec/json/forms.h"
#include "json/builder.h"

namespace proa::api {
namespace canonical_json {

using json::Kind;
using json::Member;
using json::Value;

// Brings a tree into canonical form in place. Objects that are canonical already, which is most of
// them after an edit, are only walked; others get a new block of members in the same arena.
class Canonicalizer {
 public:
  Canonicalizer(json::Arena& arena, Budget& budget, const FromJsonOptions& options)
      : arena_(arena),
        builder_(arena, nullptr),
        budget_(budget),
        touched_(options.touched),
        empty_is_null_(options.empty_is_null) {}

  Result<void> run(Value& root, const Type& type) {
    if (root.is_null()) {
      root = zero(type);
    } else if (!value(root, type, nullptr)) {
      return *failure_;
    }
    return {};
  }

  bool unknown_fields() const { return unknown_fields_; }

 private:
  // Of a field's value. An omitted one is not printed: it is empty, or reads as absent.
  enum class Outcome : uint8_t { kPresent, kOmitted, kFailed };

  bool fail(Status failure) {
    failure_ = std::move(failure);
    return false;
  }
  bool fail_kind(const Value& found, std::string_view wanted, const FieldPath* path) {
    return fail(cannot_unmarshal(found, wanted, path));
  }
  static Outcome present_if(bool canonical) {
    return canonical ? Outcome::kPresent : Outcome::kFailed;
  }
  bool has_room() { return budget_.holds(arena_.reserved()) || fail(budget_.status()); }
  Value zero(const Type& type) {
    add_zero(builder_, type);
    return builder_.take();
  }

  // Whether a member is canonical already.
  bool is_untouched(const Field& field, const FieldPath* path) const {
    if (touched_.empty() || (path != nullptr && path->parent != nullptr)) return false;
    return !is_touched(field, path);
  }
  bool is_touched(const Field& field, const FieldPath* path) const;
  bool message(Value& object, const Type& type, const FieldPath* path);
  // Whether the members are those that are printed, in the order of the type. Their fields are
  // added to fields_; further members of an open type have none.
  bool find_fields(Value& object, const Type& type);
  // `base`: where the object's own fields begin in fields_.
  bool in_order(Value& object, const Type& type, const FieldPath* path, size_t base);
  bool out_of_order(Value& object, const Type& type, const FieldPath* path);
  // `type` and `path`: of the object.
  Outcome member(const Field& field, Value& value, const Type& type, const FieldPath* path);
  Outcome field(const Field& field, Value& value, const FieldPath* path);
  bool list(const Type& item_type, Value& list, const FieldPath* path);
  bool map(const Type& value_type, Value& map, const FieldPath* path);
  bool sort_map(const Type& value_type, Value& map, const FieldPath* path);
  bool item(Value& item, const Type& type, const FieldPath* path);
  // REQUIRES: not null.
  bool value(Value& value, const Type& type, const FieldPath* path);
  // A value without others inside.
  bool leaf(Value& value, const Type& type, const FieldPath* path);
  bool schema_or(Value& value, const Type& type, const FieldPath* path);

  json::Arena& arena_;
  json::Builder builder_;  // empty between calls: members become canonical before their object
  Budget& budget_;
  const std::span<const std::string_view> touched_;
  const bool empty_is_null_;
  std::vector<const Field*> fields_;  // of all objects that are open, if they are in order
  std::vector<Value*> slots_;         // of those that are not, by field
  std::vector<Member*> entries_;      // of all unsorted maps, and further members, being read
  bool unknown_fields_ = false;
  bool unknown_counts_ = true;  // false inside of types with custom unmarshalling
  std::optional<Status> failure_;
};

bool is_leaf(Form form) {
  switch (form) {
    case Form::kMessage:
    case Form::kAny:
    case Form::kRaw:
    case Form::kJson:
    case Form::kStrings:
    case Form::kSchemaOrList:
    case Form::kSchemaOrBool:
    case Form::kSchemaOrStrings:
      return false;
    default:
      return true;
  }
}

// Mutable members of an object, which json exposes as const only.
std::span<Member> members_of(Value& object) {
  const auto members = object.members();
  return {const_cast<Member*>(members.data()), members.size()};
}

bool Canonicalizer::is_touched(const Field& field, const FieldPath* path) const {
  if (path == nullptr) {
    return std::any_of(touched_.begin(), touched_.end(), [&](std::string_view each) {
      return each.substr(0, each.find('.')) == field.name;
    });
  }
  // For a member of the root that is only partly touched.
  return std::any_of(touched_.begin(), touched_.end(), [&](std::string_view each) {
    if (!each.starts_with(path->name)) return false;
    each.remove_prefix(path->name.size());
    return each.empty() || (each.front() == '.' && each.substr(1) == field.name);
  });
}

bool Canonicalizer::find_fields(Value& object, const Type& type) {
  size_t next = 0;
  const auto skip_to = [&](size_t index) {
    while (next < index && is_omitted_when_absent(type.fields[next])) ++next;
    return next == index;
  };
  bool further = false;
  for (Member& member : members_of(object)) {
    const Field* known = type.find(member.key, next);
    if (known == nullptr && type.open) {
      further = true;
      continue;
    }
    if (known == nullptr || further || !skip_to(type.index_of(*known))) return false;
    ++next;
    member.key = known->name;
    fields_.push_back(known);
  }
  return skip_to(type.fields.size());
}

bool Canonicalizer::message(Value& object, const Type& type, const FieldPath* path) {
  if (!object.is(Kind::kObject)) return fail_kind(object, go_type(type), path);
  if (!has_room()) return false;
  const size_t base = fields_.size();
  const bool read = find_fields(object, type) ? in_order(object, type, path, base)
                                              : out_of_order(object, type, path);
  fields_.resize(base);
  return read;
}

bool Canonicalizer::in_order(Value& object, const Type& type, const FieldPath* path, size_t base) {
  bool omits = false;
  const std::span<Member> members = members_of(object).first(fields_.size() - base);
  for (size_t i = 0; i < members.size(); ++i) {
    const Field& known = *fields_[base + i];
    const Outcome outcome = member(known, members[i].value, type, path);
    if (outcome == Outcome::kFailed) return false;
    if (outcome == Outcome::kPresent) continue;
    fields_[base + i] = nullptr;
    omits = true;
  }
  if (!omits) return true;
  for (size_t i = members.size(); i-- > 0;) {
    if (fields_[base + i] == nullptr) object.remove(members[i].key);
  }
  return true;
}

bool Canonicalizer::out_of_order(Value& object, const Type& type, const FieldPath* path) {
  const size_t base = slots_.size();
  const size_t further = entries_.size();
  slots_.resize(base + type.fields.size(), nullptr);
  size_t next = 0;
  for (Member& member : members_of(object)) {
    const Field* known = type.find(member.key, next);
    if (known == nullptr) {
      if (type.open) {
        entries_.push_back(&member);
      } else {
        unknown_fields_ = unknown_fields_ || unknown_counts_;
      }
      continue;
    }
    const size_t index = type.index_of(*known);
    slots_[base + index] = &member.value;
    next = index + 1;
  }
  for (size_t i = 0; i < type.fields.size(); ++i) {
    Value* const found = slots_[base + i];
    if (found == nullptr) continue;
    const Outcome outcome = member(type.fields[i], *found, type, path);
    if (outcome == Outcome::kFailed) return false;
    if (outcome == Outcome::kOmitted) slots_[base + i] = nullptr;
  }
  builder_.begin(Kind::kObject);
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (slots_[base + i] == nullptr) {
      add_absent(builder_, type.fields[i]);
    } else {
      builder_.key(type.fields[i].name);
      builder_.add(std::move(*slots_[base + i]));
    }
  }
  for (size_t i = further; i < entries_.size(); ++i) {
    builder_.key(entries_[i]->key);
    builder_.add(std::move(entries_[i]->value));
  }
  builder_.end();
  entries_.resize(further);
  object = builder_.take();
  slots_.resize(base);
  return true;
}

Canonicalizer::Outcome Canonicalizer::member(const Field& field, Value& value, const Type& type,
                                             const FieldPath* path) {
  if (!value.is_null()) {
    if (is_untouched(field, path)) return Outcome::kPresent;
    const FieldPath step{path, &type, field.name};
    const Outcome outcome = this->field(field, value, &step);
    // What reads as absent is printed as absent fields are.
    if (outcome != Outcome::kOmitted || is_omitted_when_absent(field)) return outcome;
    value = Value();
  }
  if (is_omitted_when_absent(field)) return Outcome::kOmitted;
  if (!is_null_when_absent(field)) value = zero(*field.type);
  return Outcome::kPresent;
}

// Whether "omitempty" omits a value of a type that is not a struct.
bool is_empty(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !value.as_bool();
    case Kind::kInt:
    case Kind::kDouble:
      return value.as_double() == 0;
    case Kind::kString:
      return value.as_string().empty();
    case Kind::kArray:
    case Kind::kObject:
      return value.size() == 0;
  }
  return false;
}

// Whether a leaf that is set is left out all the same.
bool is_omitted(const Field& field, const Value& leaf) {
  if (field.pointer) return false;
  if (field.omit == Omit::kEmpty) return !is_struct(field.type->form) && is_empty(leaf);
  return field.omit == Omit::kZero && leaf.is_null();
}

// Upstream treats it as neither a schema nor a list: it reads as absent.
bool reads_as_absent(const Value& value, Form form) {
  if (form != Form::kSchemaOrList && form != Form::kSchemaOrStrings) return false;
  return !value.is(Kind::kObject) && !(value.is(Kind::kArray) && value.size() > 0);
}

Canonicalizer::Outcome Canonicalizer::field(const Field& field, Value& value,
                                            const FieldPath* path) {
  const Type& type = *field.type;
  const bool strings = field.shape == Shape::kSingle && type.form == Form::kStrings;
  if (field.shape == Shape::kSingle && !strings) {
    if (!is_leaf(type.form)) {
      if (field.pointer && reads_as_absent(value, type.form)) return Outcome::kOmitted;
      return present_if(this->value(value, type, path));
    }
    if (!leaf(value, type, path)) return Outcome::kFailed;
    return is_omitted(field, value) ? Outcome::kOmitted : Outcome::kPresent;
  }
  const bool is_map = field.shape == Shape::kMap;
  if (!value.is(is_map ? Kind::kObject : Kind::kArray)) {
    return present_if(fail_kind(value, go_type(field), path));
  }
  if (value.size() == 0) {
    if (field.omit == Omit::kEmpty && !field.pointer) return Outcome::kOmitted;
    if (empty_is_null_) value = Value();
    return Outcome::kPresent;
  }
  if (is_map) return present_if(map(type, value, path));
  return present_if(list(strings ? *scalar_type("string") : type, value, path));
}

bool Canonicalizer::list(const Type& item_type, Value& list, const FieldPath* path) {
  for (Value& one : list.items()) {
    if (!item(one, item_type, path)) return false;
  }
  return true;
}

bool Canonicalizer::map(const Type& value_type, Value& map, const FieldPath* path) {
  const std::span<Member> members = members_of(map);
  if (!std::ranges::is_sorted(members, {}, &Member::key)) return sort_map(value_type, map, path);
  for (Member& member : members) {
    if (!item(member.value, value_type, path)) return false;
  }
  return true;
}

bool Canonicalizer::sort_map(const Type& value_type, Value& map, const FieldPath* path) {
  const size_t base = entries_.size();
  for (Member& member : members_of(map)) entries_.push_back(&member);
  std::sort(entries_.begin() + static_cast<ptrdiff_t>(base), entries_.end(),
            [](const Member* a, const Member* b) { return a->key < b->key; });
  const size_t end = entries_.size();
  for (size_t i = base; i < end; ++i) {
    if (!item(entries_[i]->value, value_type, path)) return false;
  }
  builder_.begin(Kind::kObject);
  for (size_t i = base; i < end; ++i) {
    builder_.key(entries_[i]->key);
    builder_.add(std::move(entries_[i]->value));
  }
  builder_.end();
  entries_.resize(base);
  map = builder_.take();
  return true;
}

bool Canonicalizer::item(Value& item, const Type& type, const FieldPath* path) {
  if (!item.is_null()) return value(item, type, path);
  // Four bytes of text become an object.
  if (!has_room()) return false;
  // Bytes that are null become empty when upstream stores them.
  item = type.form == Form::kBytes ? Value::borrowed("") : zero(type);
  return true;
}

bool Canonicalizer::value(Value& value, const Type& type, const FieldPath* path) {
  switch (type.form) {
    case Form::kMessage:
      return message(value, type, path);
    case Form::kAny:
    case Form::kRaw:
    case Form::kJson:
      return true;
    case Form::kStrings:
      if (!value.is(Kind::kArray)) return fail_kind(value, go_type(type), path);
      return list(*scalar_type("string"), value, path);
    case Form::kSchemaOrList:
    case Form::kSchemaOrBool:
    case Form::kSchemaOrStrings:
      return schema_or(value, type, path);
    default:
      return leaf(value, type, path);
  }
}

bool Canonicalizer::leaf(Value& value, const Type& type, const FieldPath* path) {
  const auto expect = [&](bool fits) { return fits || fail_kind(value, go_type(type), path); };
  switch (type.form) {
    case Form::kString:
      return expect(value.is(Kind::kString));
    case Form::kBool:
      return expect(value.is(Kind::kBool));
    case Form::kInt32:
      settle_minus_zero(value);
      return expect(value.is(Kind::kInt) && value.as_int() == static_cast<int32_t>(value.as_int()));
    case Form::kInt64:
      settle_minus_zero(value);
      return expect(value.is(Kind::kInt));
    case Form::kDouble:
      return expect(value.is_number());
    default:
      break;
  }
  Result<Value> canonical = normalise_form(arena_, type, std::move(value), path);
  if (!canonical) return fail(canonical.status());
  value = std::move(*canonical);
  return true;
}

bool Canonicalizer::schema_or(Value& value, const Type& type, const FieldPath* path) {
  const bool counted = std::exchange(unknown_counts_, false);
  bool read = true;
  if (value.is(Kind::kObject)) {
    read = message(value, *type.element, path);
  } else if (type.form == Form::kSchemaOrBool) {
    if (!value.is(Kind::kBool))
      return fail(Status(Reason::kBadRequest, "boolean or JSON schema expected"));
  } else if (!reads_as_absent(value, type.form)) {
    const bool schemas = type.form == Form::kSchemaOrList;
    read = list(schemas ? *type.element : *scalar_type("string"), value, path);
  } else {
    value = Value();
  }
  unknown_counts_ = counted;
  return read;
}

}  // namespace canonical_json

Result<FromJson> from_json(json::Document document, const Type& type, Budget& budget,
                           const FromJsonOptions& options) {
  canonical_json::Canonicalizer canonicalizer(document.arena(), budget, options);
  TRY(canonicalizer.run(document.root(), type));
  return FromJson{std::move(document), canonicalizer.unknown_fields()};
}

}  // namespace proa::api
