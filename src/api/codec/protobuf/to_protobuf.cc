#include "api/codec/protobuf/to_protobuf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "api/codec/protobuf/forms.h"
#include "json/print.h"

namespace proa::api {
namespace protobuf_encoder {

using json::Kind;
using json::Member;
using json::Value;

const Value kNull{};

class Encoder {
 public:
  explicit Encoder(ReverseWriter& writer) : writer_(writer) {}

  bool message(const Value& object, const Type& type);
  const Status& failure() const { return *failure_; }

 private:
  bool fail(std::string_view where, std::string_view what) {
    failure_ = Status(Reason::kBadRequest, fmt::format("{}: {}", where, what));
    return false;
  }

  bool wire(const Wire& wire, const Type& type, size_t base);
  bool field(const Field& field, const Value& value);
  bool list(const Field& field, const Value& value);
  bool map(const Field& field, const Value& value);
  bool map_entry(const Field& field, const Member& member);
  // One field with its tag: a single one, an item of a list, a value of a map.
  bool tagged(uint32_t number, const Field& field, const Value& value);
  bool content(const Field& field, const Value& value);
  bool scalar(uint32_t number, const Field& field, const Value& value);
  bool raw(const Value& value);
  bool schema_or(const Type& type, const Value& value);

  ReverseWriter& writer_;
  std::vector<const Value*> slots_;     // of all messages that are open
  std::vector<const Member*> entries_;  // of all maps that are open
  std::optional<Status> failure_;
};

bool Encoder::message(const Value& object, const Type& type) {
  if (!object.is(Kind::kObject) && !object.is_null()) return fail(type.name, "no object");
  const size_t base = slots_.size();
  slots_.resize(base + type.fields.size(), nullptr);
  size_t guess = 0;
  for (const Member& member : object.members()) {
    const Field* field = type.find(member.key, guess);
    if (field == nullptr) continue;
    const size_t index = type.index_of(*field);
    slots_[base + index] = &member.value;
    guess = index + 1;
  }
  const bool written = wire(type.wire, type, base);
  slots_.resize(base);
  return written;
}

bool Encoder::wire(const Wire& wire, const Type& type, size_t base) {
  for (size_t i = wire.entries.size(); i-- > 0;) {
    const Wire::Entry& entry = wire.entries[i];
    if (entry.group != nullptr) {
      const size_t mark = writer_.size();
      if (!this->wire(*entry.group, type, base)) return false;
      writer_.end_message(entry.number, mark);
      continue;
    }
    const Value* value = slots_[base + entry.field];
    if (!field(type.fields[entry.field], value == nullptr ? kNull : *value)) return false;
  }
  return true;
}

bool Encoder::field(const Field& field, const Value& value) {
  if (field.shape == Shape::kList) return list(field, value);
  if (field.shape == Shape::kMap) return map(field, value);
  const Form form = field.type->form;
  const bool nullable = field.pointer || form == Form::kBytes || form == Form::kStrings;
  if (value.is_null() && nullable) return true;
  return tagged(field.number, field, value);
}

bool Encoder::list(const Field& field, const Value& value) {
  if (!value.is(Kind::kArray) && !value.is_null()) return fail(field.name, "no list");
  const auto items = value.items();
  for (size_t i = items.size(); i-- > 0;) {
    if (!tagged(field.number, field, items[i])) return false;
  }
  return true;
}

bool Encoder::map(const Field& field, const Value& value) {
  if (!value.is(Kind::kObject) && !value.is_null()) return fail(field.name, "no object");
  const size_t base = entries_.size();
  for (const Member& member : value.members()) entries_.push_back(&member);
  const auto by_key = [](const Member* a, const Member* b) { return a->key < b->key; };
  const auto begin = entries_.begin() + static_cast<ptrdiff_t>(base);
  if (!std::is_sorted(begin, entries_.end(), by_key)) std::sort(begin, entries_.end(), by_key);
  while (entries_.size() > base) {
    const Member* last = entries_.back();
    entries_.pop_back();
    if (!map_entry(field, *last)) return false;
  }
  return true;
}

bool Encoder::map_entry(const Field& field, const Member& member) {
  const size_t mark = writer_.size();
  const bool left_out = field.type->form == Form::kBytes && member.value.is_null();
  if (!left_out && !tagged(2, field, member.value)) return false;
  writer_.bytes_field(1, member.key);
  writer_.end_message(field.number, mark);
  return true;
}

bool Encoder::tagged(uint32_t number, const Field& field, const Value& value) {
  switch (field.type->form) {
    case Form::kString:
      if (!value.is(Kind::kString) && !value.is_null()) return fail(field.name, "no string");
      writer_.bytes_field(number, value.is_null() ? std::string_view() : value.as_string());
      return true;
    case Form::kBool:
    case Form::kInt32:
    case Form::kInt64:
    case Form::kDouble:
      return scalar(number, field, value);
    default: {
      const size_t mark = writer_.size();
      if (!content(field, value)) return false;
      writer_.end_message(number, mark);
      return true;
    }
  }
}

bool Encoder::scalar(uint32_t number, const Field& field, const Value& value) {
  if (field.type->form == Form::kDouble) {
    if (!value.is_number() && !value.is_null()) return fail(field.name, "no number");
    writer_.fixed64(std::bit_cast<uint64_t>(value.is_null() ? 0.0 : value.as_double()));
    writer_.tag(number, WireType::kFixed64);
    return true;
  }
  if (value.is_null()) {
    writer_.varint_field(number, 0);
    return true;
  }
  if (field.type->form == Form::kBool) {
    if (!value.is(Kind::kBool)) return fail(field.name, "no boolean");
    writer_.varint_field(number, value.as_bool() ? 1 : 0);
    return true;
  }
  if (!value.is(Kind::kInt)) return fail(field.name, "no integer");
  const int64_t integer = value.as_int();
  if (field.type->form == Form::kInt32 && integer != static_cast<int32_t>(integer))
    return fail(field.name, "out of range");
  writer_.varint_field(number, static_cast<uint64_t>(integer));
  return true;
}

bool Encoder::content(const Field& field, const Value& value) {
  const Type& type = *field.type;
  switch (type.form) {
    case Form::kMessage:
      return message(value, type);
    case Form::kRaw:
    case Form::kJson:
      return raw(value);
    case Form::kSchemaOrList:
    case Form::kSchemaOrBool:
    case Form::kSchemaOrStrings:
      return schema_or(type, value);
    default: {
      const auto written = write_form(writer_, type, value);
      return written.ok() || fail(field.name, written.status().message());
    }
  }
}

bool Encoder::raw(const Value& value) {
  if (!value.is_null()) writer_.bytes_field(1, json::print(value));
  return true;
}

bool Encoder::schema_or(const Type& type, const Value& value) {
  const bool or_bool = type.form == Form::kSchemaOrBool;
  if (value.is(Kind::kObject)) {
    const size_t mark = writer_.size();
    if (!message(value, *type.element)) return false;
    writer_.end_message(or_bool ? 2 : 1, mark);
  }
  if (or_bool) {
    if (!value.is(Kind::kObject) && !value.is(Kind::kBool) && !value.is_null())
      return fail(type.name, "neither a boolean nor a schema");
    const bool refuses = value.is_null() || (value.is(Kind::kBool) && !value.as_bool());
    writer_.varint_field(1, refuses ? 0 : 1);
    return true;
  }
  const auto items = value.items();
  for (size_t i = items.size(); i-- > 0;) {
    if (type.form == Form::kSchemaOrStrings) {
      if (!items[i].is(Kind::kString)) return fail(type.name, "no string");
      writer_.bytes_field(2, items[i].as_string());
      continue;
    }
    const size_t mark = writer_.size();
    if (!message(items[i], *type.element)) return false;
    writer_.end_message(2, mark);
  }
  return true;
}

}  // namespace protobuf_encoder

Result<void> write_protobuf(ReverseWriter& writer, const json::Value& object, const Type& type) {
  if (!type.is_message() || !type.has_proto)
    return Status(Reason::kNotAcceptable, fmt::format("{} has no protobuf", type.name));
  protobuf_encoder::Encoder encoder(writer);
  if (!encoder.message(object, type)) return encoder.failure();
  return {};
}

Result<std::string> to_protobuf(const json::Value& object, const Type& type) {
  ReverseWriter writer;
  TRY(write_protobuf(writer, object, type));
  return writer.take();
}

}  // namespace proa::api
