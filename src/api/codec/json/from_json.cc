#include "api/codec/json/from_json.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/codec/absent.h"
#include "api/codec/budget.h"
#include "api/codec/json/field_path.h"
#include "api/codec/json/forms.h"
#include "json/builder.h"

namespace proa::api {
namespace json_decoder {

using json::Kind;
using json::Member;
using json::Value;

// Builds a second tree from the parts of the first, in the same arena.
class Decoder {
 public:
  Decoder(json::Arena& arena, size_t input_size, std::span<const std::string_view> touched)
      : arena_(arena), builder_(arena, nullptr), budget_(arena, input_size), touched_(touched) {}

  Result<Value> decode(Value& root, const Type& type) {
    if (root.is_null()) {
      add_zero(builder_, type);
    } else if (!value(root, type, nullptr)) {
      return *failure_;
    }
    return builder_.take();
  }

  bool unknown_fields() const { return unknown_fields_; }

 private:
  bool fail(Status failure) {
    failure_ = std::move(failure);
    return false;
  }
  bool fail_kind(const Value& found, std::string_view wanted, const FieldPath* path) {
    return fail(cannot_unmarshal(found, wanted, path));
  }

  // Whether a member is canonical already.
  bool stays(const Field& field, const FieldPath* path) const;
  bool message(Value& object, const Type& type, const FieldPath* path);
  bool field(const Field& field, Value& value, const FieldPath* path);
  bool leaf_field(const Field& field, Value& value, const FieldPath* path);
  bool list(const Type& item_type, Value& list, const FieldPath* path);
  bool map(const Type& value_type, Value& map, const FieldPath* path);
  bool item(Value& item, const Type& type, const FieldPath* path);
  // REQUIRES: not null.
  bool value(Value& value, const Type& type, const FieldPath* path);
  // A value without others inside, checked and in its canonical form; nullopt on failure.
  std::optional<Value> leaf(Value& value, const Type& type, const FieldPath* path);
  bool schema_or(Value& value, const Type& type, const FieldPath* path);

  json::Arena& arena_;
  json::Builder builder_;
  Budget budget_;
  const std::span<const std::string_view> touched_;
  std::vector<Value*> slots_;     // of all objects that are open
  std::vector<Member*> entries_;  // of all maps that are open
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

bool Decoder::stays(const Field& field, const FieldPath* path) const {
  if (touched_.empty() || (path != nullptr && path->parent != nullptr)) return false;
  if (path == nullptr) {
    return std::none_of(touched_.begin(), touched_.end(), [&](std::string_view each) {
      return each.substr(0, each.find('.')) == field.name;
    });
  }
  // For a member of the root that is only partly touched.
  return std::none_of(touched_.begin(), touched_.end(), [&](std::string_view each) {
    if (!each.starts_with(path->name)) return false;
    each.remove_prefix(path->name.size());
    return each.empty() || (each.front() == '.' && each.substr(1) == field.name);
  });
}

bool Decoder::message(Value& object, const Type& type, const FieldPath* path) {
  if (!object.is(Kind::kObject)) return fail_kind(object, go_type(type), path);
  if (budget_.exceeded()) {
    return fail(
        Status(Reason::kRequestEntityTooLarge, "the object takes too much memory when decoded"));
  }
  const size_t base = slots_.size();
  slots_.resize(base + type.fields.size(), nullptr);
  size_t guess = 0;
  for (Member& member : members_of(object)) {
    const Field* known = type.find(member.key, guess);
    if (known == nullptr) {
      unknown_fields_ = unknown_fields_ || unknown_counts_;
      continue;
    }
    const size_t index = type.index_of(*known);
    slots_[base + index] = &member.value;
    guess = index + 1;
  }
  builder_.begin(Kind::kObject);
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const Field& known = type.fields[i];
    Value* found = slots_[base + i];
    if (found == nullptr || found->is_null()) {
      add_absent(builder_, known);
      continue;
    }
    if (stays(known, path)) {
      builder_.key(known.name);
      builder_.add(std::move(*found));
      continue;
    }
    const FieldPath step{path, &type, known.name};
    if (!field(known, *found, &step)) return false;
  }
  builder_.end();
  slots_.resize(base);
  return true;
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

// Upstream treats it as neither a schema nor a list: it reads as absent.
bool reads_as_absent(const Value& value, Form form) {
  if (form != Form::kSchemaOrList && form != Form::kSchemaOrStrings) return false;
  return !value.is(Kind::kObject) && !(value.is(Kind::kArray) && value.size() > 0);
}

bool Decoder::field(const Field& field, Value& value, const FieldPath* path) {
  const Type& type = *field.type;
  const bool strings = field.shape == Shape::kSingle && type.form == Form::kStrings;
  if (field.shape == Shape::kList || strings) {
    if (!value.is(Kind::kArray)) return fail_kind(value, go_type(field), path);
    if (field.omit == Omit::kEmpty && value.size() == 0) return true;
    builder_.key(field.name);
    return list(strings ? *scalar_type("string") : type, value, path);
  }
  if (field.shape == Shape::kMap) {
    if (!value.is(Kind::kObject)) return fail_kind(value, go_type(field), path);
    if (field.omit == Omit::kEmpty && value.size() == 0) return true;
    builder_.key(field.name);
    return map(type, value, path);
  }
  if (!is_leaf(type.form)) {
    if (field.pointer && reads_as_absent(value, type.form)) {
      add_absent(builder_, field);
      return true;
    }
    builder_.key(field.name);
    return this->value(value, type, path);
  }
  return leaf_field(field, value, path);
}

bool Decoder::leaf_field(const Field& field, Value& value, const FieldPath* path) {
  const Type& type = *field.type;
  auto read = leaf(value, type, path);
  if (!read) return false;
  if (!field.pointer) {
    if (field.omit == Omit::kEmpty && !is_struct(type.form) && is_empty(*read)) return true;
    if (field.omit == Omit::kZero && read->is_null()) return true;
  }
  builder_.key(field.name);
  builder_.add(std::move(*read));
  return true;
}

bool Decoder::list(const Type& item_type, Value& list, const FieldPath* path) {
  builder_.begin(Kind::kArray);
  for (Value& one : list.items()) {
    if (!item(one, item_type, path)) return false;
  }
  builder_.end();
  return true;
}

bool Decoder::map(const Type& value_type, Value& map, const FieldPath* path) {
  const size_t base = entries_.size();
  for (Member& member : members_of(map)) entries_.push_back(&member);
  const auto by_key = [](const Member* a, const Member* b) { return a->key < b->key; };
  const auto begin = entries_.begin() + static_cast<ptrdiff_t>(base);
  if (!std::is_sorted(begin, entries_.end(), by_key)) std::sort(begin, entries_.end(), by_key);
  builder_.begin(Kind::kObject);
  for (size_t i = base; i < entries_.size(); ++i) {
    builder_.key(entries_[i]->key);
    if (!item(entries_[i]->value, value_type, path)) return false;
  }
  builder_.end();
  entries_.resize(base);
  return true;
}

bool Decoder::item(Value& item, const Type& type, const FieldPath* path) {
  if (!item.is_null()) return value(item, type, path);
  add_zero(builder_, type);
  return true;
}

bool Decoder::value(Value& value, const Type& type, const FieldPath* path) {
  switch (type.form) {
    case Form::kMessage:
      return message(value, type, path);
    case Form::kAny:
    case Form::kRaw:
    case Form::kJson:
      builder_.add(std::move(value));
      return true;
    case Form::kStrings:
      if (!value.is(Kind::kArray)) return fail_kind(value, go_type(type), path);
      return list(*scalar_type("string"), value, path);
    case Form::kSchemaOrList:
    case Form::kSchemaOrBool:
    case Form::kSchemaOrStrings:
      return schema_or(value, type, path);
    default: {
      auto read = leaf(value, type, path);
      if (!read) return false;
      builder_.add(std::move(*read));
      return true;
    }
  }
}

std::optional<Value> Decoder::leaf(Value& value, const Type& type, const FieldPath* path) {
  const auto expect = [&](bool fits) -> std::optional<Value> {
    if (fits) return std::move(value);
    fail_kind(value, go_type(type), path);
    return std::nullopt;
  };
  switch (type.form) {
    case Form::kString:
      return expect(value.is(Kind::kString));
    case Form::kBool:
      return expect(value.is(Kind::kBool));
    case Form::kInt32:
      return expect(value.is(Kind::kInt) && value.as_int() == static_cast<int32_t>(value.as_int()));
    case Form::kInt64:
      return expect(value.is(Kind::kInt));
    case Form::kDouble:
      return expect(value.is_number());
    default:
      break;
  }
  auto read = normalise_form(arena_, type, std::move(value), path);
  if (read.ok()) return std::move(*read);
  failure_ = read.status();
  return std::nullopt;
}

bool Decoder::schema_or(Value& value, const Type& type, const FieldPath* path) {
  const bool counted = std::exchange(unknown_counts_, false);
  bool read = true;
  if (value.is(Kind::kObject)) {
    read = message(value, *type.element, path);
  } else if (type.form == Form::kSchemaOrBool) {
    if (!value.is(Kind::kBool))
      return fail(Status(Reason::kBadRequest, "boolean or JSON schema expected"));
    builder_.add(std::move(value));
  } else if (!reads_as_absent(value, type.form)) {
    const bool schemas = type.form == Form::kSchemaOrList;
    read = list(schemas ? *type.element : *scalar_type("string"), value, path);
  } else {
    builder_.add(Value());
  }
  unknown_counts_ = counted;
  return read;
}

}  // namespace json_decoder

Result<FromJson> from_json(json::Document document, const Type& type, size_t input_size,
                           std::span<const std::string_view> touched) {
  json_decoder::Decoder decoder(document.arena(), input_size, touched);
  document.root() = TRY(decoder.decode(document.root(), type));
  return FromJson{std::move(document), decoder.unknown_fields()};
}

}  // namespace proa::api
