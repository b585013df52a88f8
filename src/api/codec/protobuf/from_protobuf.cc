#include "api/codec/protobuf/from_protobuf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "api/codec/absent.h"
#include "api/codec/protobuf/envelope.h"
#include "api/codec/protobuf/forms.h"
#include "api/codec/protobuf/wire.h"
#include "json/builder.h"
#include "json/parse.h"
#include "json/text/count.h"

namespace proa::api {
namespace protobuf_decoder {

using json::Kind;
using json::Value;

// Where a field was seen in its message.
struct Slot {
  uint32_t count = 0;
  const char* first = nullptr;  // its first tag
  const char* end = nullptr;    // end of its last content
  WireField last;
};

struct MapEntry {
  std::string_view key;
  WireField value;
  bool has_value = false;
};

WireType wire_type_of(Form form) {
  switch (form) {
    case Form::kBool:
    case Form::kInt32:
    case Form::kInt64:
      return WireType::kVarint;
    case Form::kDouble:
      return WireType::kFixed64;
    default:
      return WireType::kBytes;
  }
}

// Each message is read twice: first to locate its fields, then field by field in JSON order. So
// everything is added to the document in order, and takes no more space than needed.
class Decoder {
 public:
  Decoder(json::Arena& arena, const Schema& schema, Budget& budget)
      : arena_(arena), builder_(arena, nullptr), schema_(schema), budget_(budget) {}

  Result<Value> decode(std::string_view bytes, const Type& type, const TypeMeta& meta) {
    if (!message(bytes, type, meta)) return *failure_;
    return builder_.take();
  }

 private:
  bool fail(std::string message) {
    failure_ = Status(Reason::kBadRequest, std::move(message));
    return false;
  }
  bool fail(const WireReader& reader) { return fail(std::string(reader.error())); }
  // Pays for values. An item of a list pays for itself, and once more if it is a message: for the
  // fields that it has at least. Memory is checked at the same places.
  bool pay(size_t values) {
    if (budget_.take_values(values) && budget_.holds(arena_.reserved())) [[likely]]
      return true;
    failure_ = budget_.status();
    return false;
  }

  bool message(std::string_view bytes, const Type& type, const TypeMeta& meta);
  bool index(std::string_view bytes, const Type& type, const Wire& wire, size_t base);
  bool index_group(const WireField& group, const Slot& slot, const Type& type, const Wire& wire,
                   size_t base);
  bool field(const Field& field, const Slot& slot);
  bool list(const Field& field, const Slot& slot);
  bool list_item(const Type& type, const WireField& found);
  bool map(const Field& field, const Slot& slot);
  bool read_entry(std::string_view bytes, const Type& type, MapEntry& entry);
  bool single(const Field& field, const Slot& slot);
  bool value(const Type& type, const WireField& found);
  std::optional<Value> form(const Type& type, std::string_view bytes);
  bool raw(const Type& type, std::string_view bytes);
  bool schema_or(const Type& type, std::string_view bytes);
  std::string_view merged(uint32_t number, const Slot& slot);
  std::string_view text(std::string_view bytes);

  json::Arena& arena_;
  json::Builder builder_;
  const Schema& schema_;
  Budget& budget_;
  std::vector<Slot> slots_;        // of all messages that are open
  std::vector<MapEntry> entries_;  // of all maps that are open
  size_t depth_ = 0;               // of arrays and objects
  std::optional<Status> failure_;
};

bool Decoder::message(std::string_view bytes, const Type& type, const TypeMeta& meta) {
  if (depth_ >= json::kMaxDepth) return fail("nested too deeply");
  if (!pay(1)) return false;
  const size_t base = slots_.size();
  slots_.resize(base + type.fields.size());
  if (!index(bytes, type, type.wire, base)) return false;
  ++depth_;
  builder_.begin(Kind::kObject);
  size_t next = 0;
  if (type.is_kind) {
    next = 2;
    const std::string_view values[] = {meta.kind, meta.api_version};
    for (size_t i = 0; i < next; ++i) {
      if (values[i].empty()) continue;
      builder_.key(type.fields[i].name);
      builder_.add(Value::borrowed(text(arena_.copy(values[i]))));
    }
  }
  for (; next < type.fields.size(); ++next) {
    const Slot slot = slots_[base + next];
    if (!field(type.fields[next], slot)) return false;
  }
  builder_.end();
  --depth_;
  slots_.resize(base);
  return true;
}

bool Decoder::index(std::string_view bytes, const Type& type, const Wire& wire, size_t base) {
  WireReader reader(bytes);
  WireField found;
  Slot group_slot;
  const Wire::Entry* group = nullptr;  // there is one at most
  for (const char* start = reader.position(); reader.next(found); start = reader.position()) {
    const Wire::Entry* entry = wire.find(found.number);
    if (entry == nullptr) continue;
    if (entry->group != nullptr) group = entry;
    Slot& slot = entry->group != nullptr ? group_slot : slots_[base + entry->field];
    if (slot.count++ == 0) slot.first = start;
    slot.end = reader.position();
    slot.last = found;
  }
  if (!reader.error().empty()) return fail(reader);
  if (group == nullptr) return true;
  return index_group(group_slot.last, group_slot, type, *group->group, base);
}

bool Decoder::index_group(const WireField& group, const Slot& slot, const Type& type,
                          const Wire& wire, size_t base) {
  if (group.type != WireType::kBytes)
    return fail(fmt::format("proto: wrong wireType = {} for field {}", static_cast<int>(group.type),
                            wire.group_name));
  const std::string_view bytes = slot.count == 1 ? group.bytes : merged(group.number, slot);
  if (!pay(0)) return false;
  return index(bytes, type, wire, base);
}

// The pieces of a message that occurs several times are concatenated.
std::string_view Decoder::merged(uint32_t number, const Slot& slot) {
  std::string whole;
  WireReader reader({slot.first, static_cast<size_t>(slot.end - slot.first)});
  WireField found;
  while (reader.next(found)) {
    if (found.number == number && found.type == WireType::kBytes) whole += found.bytes;
  }
  return arena_.copy(whole);
}

bool Decoder::field(const Field& field, const Slot& slot) {
  if (slot.count == 0) {
    add_absent(builder_, field);
    return true;
  }
  const WireType type = slot.last.type;
  const WireType expected =
      field.shape == Shape::kMap ? WireType::kBytes : wire_type_of(field.type->form);
  // A list of numbers may come packed.
  const bool packed = field.shape == Shape::kList && type == WireType::kBytes;
  if (type != expected && !packed) {
    return fail(
        fmt::format("proto: wrong wireType = {} for field {}", static_cast<int>(type), field.name));
  }
  switch (field.shape) {
    case Shape::kList:
      return list(field, slot);
    case Shape::kMap:
      return map(field, slot);
    case Shape::kSingle:
      return single(field, slot);
  }
  return true;
}

bool Decoder::single(const Field& field, const Slot& slot) {
  WireField found = slot.last;
  const Form form = field.type->form;
  if (slot.count > 1 && is_struct(form)) {
    found.bytes = merged(found.number, slot);
    if (!pay(0)) return false;
  }
  if (!field.pointer && field.omit != Omit::kNever) {
    const bool zero = found.type == WireType::kBytes ? found.bytes.empty() : found.value == 0;
    if (zero && !is_struct(form)) return true;
  }
  if (field.omit == Omit::kZero && !field.pointer) {
    auto read = this->form(*field.type, found.bytes);
    if (!read) return false;
    if (read->is_null()) return true;
    builder_.key(field.name);
    builder_.add(std::move(*read));
    return true;
  }
  builder_.key(field.name);
  return value(*field.type, found);
}

bool Decoder::list(const Field& field, const Slot& slot) {
  if (depth_ >= json::kMaxDepth) return fail("nested too deeply");
  ++depth_;
  builder_.key(field.name);
  builder_.begin(Kind::kArray);
  WireReader reader({slot.first, static_cast<size_t>(slot.end - slot.first)});
  WireField found;
  while (reader.next(found)) {
    if (found.number == slot.last.number && !list_item(*field.type, found)) return false;
  }
  builder_.end();
  --depth_;
  return true;
}

bool Decoder::list_item(const Type& type, const WireField& found) {
  const WireType expected = wire_type_of(type.form);
  if (found.type == expected) return pay(1) && value(type, found);
  if (found.type != WireType::kBytes) {
    return fail(fmt::format("proto: wrong wireType = {} in a list of {}",
                            static_cast<int>(found.type), type.name));
  }
  WireReader packed(found.bytes);
  WireField item{.number = found.number, .type = expected};
  while (!packed.done()) {
    const bool read = expected == WireType::kVarint ? packed.next_varint(item.value)
                                                    : packed.next_fixed64(item.value);
    if (!read) return fail(packed);
    if (!pay(1) || !value(type, item)) return false;
  }
  return true;
}

bool Decoder::map(const Field& field, const Slot& slot) {
  if (depth_ >= json::kMaxDepth) return fail("nested too deeply");
  const size_t base = entries_.size();
  WireReader reader({slot.first, static_cast<size_t>(slot.end - slot.first)});
  WireField found;
  while (reader.next(found)) {
    if (found.number != slot.last.number) continue;
    MapEntry entry;
    if (found.type != WireType::kBytes || !read_entry(found.bytes, *field.type, entry))
      return failure_ ? false
                      : fail("proto: wrong wireType for an entry of " + std::string(field.name));
    if (!pay(1)) return false;
    entries_.push_back(entry);
  }
  const auto by_key = [](const MapEntry& a, const MapEntry& b) { return a.key < b.key; };
  const auto begin = entries_.begin() + static_cast<ptrdiff_t>(base);
  if (!std::is_sorted(begin, entries_.end(), by_key))
    std::stable_sort(begin, entries_.end(), by_key);

  ++depth_;
  builder_.key(field.name);
  builder_.begin(Kind::kObject);
  for (size_t i = base; i < entries_.size(); ++i) {
    // The last of equal keys counts.
    if (i + 1 < entries_.size() && entries_[i + 1].key == entries_[i].key) continue;
    const MapEntry entry = entries_[i];
    builder_.key(entry.key);
    if (entry.has_value) {
      if (!value(*field.type, entry.value)) return false;
    } else if (field.type->form == Form::kBytes) {
      builder_.add(Value::borrowed(""));
    } else if (field.type->form == Form::kStrings) {
      builder_.add(Value::array());
    } else {
      add_zero(builder_, *field.type);
    }
  }
  builder_.end();
  --depth_;
  entries_.resize(base);
  return true;
}

bool Decoder::read_entry(std::string_view bytes, const Type& type, MapEntry& entry) {
  WireReader reader(bytes);
  WireField found;
  while (reader.next(found)) {
    if (found.number == 1 && found.type == WireType::kBytes) {
      entry.key = text(found.bytes);
    } else if (found.number == 2 && found.type == wire_type_of(type.form)) {
      entry.value = found;
      entry.has_value = true;
    } else if (found.number <= 2) {
      return fail("proto: wrong wireType in an entry of a map");
    }
  }
  return reader.error().empty() || fail(reader);
}

// String bytes are already in the arena; only invalid UTF-8 needs a copy.
std::string_view Decoder::text(std::string_view bytes) { return valid_text(arena_, bytes); }

bool Decoder::value(const Type& type, const WireField& found) {
  switch (type.form) {
    case Form::kString:
      builder_.add(Value::borrowed(text(found.bytes)));
      return true;
    case Form::kBool:
      builder_.add(Value::boolean(found.value != 0));
      return true;
    case Form::kInt32:
      builder_.add(Value::integer(static_cast<int32_t>(found.value)));
      return true;
    case Form::kInt64:
      builder_.add(Value::integer(static_cast<int64_t>(found.value)));
      return true;
    case Form::kDouble: {
      const auto number = std::bit_cast<double>(found.value);
      if (!std::isfinite(number)) return fail("json: unsupported value: not a finite number");
      builder_.add(Value::number(number));
      return true;
    }
    case Form::kMessage:
      return message(found.bytes, type, {});
    case Form::kRaw:
    case Form::kJson:
      return raw(type, found.bytes);
    case Form::kSchemaOrList:
    case Form::kSchemaOrBool:
    case Form::kSchemaOrStrings:
      return schema_or(type, found.bytes);
    default:
      break;
  }
  auto read = form(type, found.bytes);
  if (!read) return false;
  builder_.add(std::move(*read));
  return true;
}

std::optional<Value> Decoder::form(const Type& type, std::string_view bytes) {
  auto read = read_form(arena_, type, bytes);
  if (read.ok()) return std::move(*read);
  failure_ = read.status();
  return std::nullopt;
}

bool Decoder::raw(const Type& type, std::string_view bytes) {
  const auto content = read_bytes_field(bytes, 1);
  if (!content.ok()) {
    failure_ = content.status();
    return false;
  }
  if (content->empty()) {
    builder_.add(Value());
    return true;
  }
  if (type.form == Form::kRaw && is_enveloped(*content)) {
    const auto envelope = open_envelope(*content);
    if (!envelope.ok()) return fail(envelope.status().message());
    const Type* inner = schema_.find_kind(envelope->meta.api_version, envelope->meta.kind);
    if (inner == nullptr || !inner->has_proto) return fail(unknown_kind(envelope->meta));
    return message(envelope->raw, *inner, envelope->meta);
  }
  if (!pay(json::count_values(*content, budget_.values_left()))) return false;
  auto parsed = json::parse(*content, {.max_depth = json::kMaxDepth - depth_});
  if (!parsed.ok()) return fail(parsed.status().message());
  builder_.add(parsed->root().copy(arena_));
  return true;
}

// The three of apiextensions: a schema in one field, its alternative in the other.
bool Decoder::schema_or(const Type& type, std::string_view bytes) {
  const bool or_bool = type.form == Form::kSchemaOrBool;
  const uint32_t schema_number = or_bool ? 2 : 1;
  WireReader reader(bytes);
  WireField found;
  std::optional<std::string_view> schema;
  std::vector<std::string_view> items;
  bool allows = false;
  while (reader.next(found)) {
    if (found.number > 2) continue;
    const bool is_flag = or_bool && found.number == 1;
    if (found.type != (is_flag ? WireType::kVarint : WireType::kBytes))
      return fail("proto: wrong wireType in " + std::string(type.name));
    if (is_flag) {
      allows = found.value != 0;
    } else if (found.number == schema_number) {
      schema = found.bytes;
    } else {
      if (!pay(1)) return false;
      items.push_back(found.bytes);
    }
  }
  if (!reader.error().empty()) return fail(reader);
  if (items.empty()) {
    if (schema) return message(*schema, *type.element, {});
    builder_.add(or_bool ? Value::boolean(allows) : Value());
    return true;
  }
  if (depth_ >= json::kMaxDepth) return fail("nested too deeply");
  ++depth_;
  builder_.begin(Kind::kArray);
  for (const std::string_view item : items) {
    if (type.form == Form::kSchemaOrStrings) {
      builder_.add(Value::borrowed(text(item)));
    } else if (!message(item, *type.element, {})) {
      return false;
    }
  }
  builder_.end();
  --depth_;
  return true;
}

}  // namespace protobuf_decoder

Result<json::Document> from_protobuf(std::string_view message, const Type& type,
                                     const Schema& schema, const TypeMeta& meta, Budget* budget) {
  // Texts stay in the message, of which the document gets a copy.
  constexpr size_t kMemoryPerByte = 8;
  json::Arena arena(message.size() * kMemoryPerByte);
  const std::string_view kept = arena.copy(message);
  Budget growth = Budget::for_growth(arena.reserved(), message.size());
  protobuf_decoder::Decoder decoder(arena, schema, budget == nullptr ? growth : *budget);
  json::Value root = TRY(decoder.decode(kept, type, meta));
  return json::Document(std::move(arena), std::move(root));
}

Result<json::Document> from_protobuf(std::string_view message, const Type& type,
                                     const Schema& schema) {
  return from_protobuf(message, type, schema, {});
}

}  // namespace proa::api
