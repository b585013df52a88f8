#include "api/codec/protobuf/forms.h"

#include <fmt/format.h>

#include <cstring>

#include "api/codec/base64.h"
#include "api/codec/timestamp.h"
#include "api/quantity.h"
#include "base/encoding.h"
#include "base/time.h"
#include "base/utf8.h"

namespace proa::api {
namespace protobuf_forms {

using json::Kind;
using json::Value;

Status bad(std::string_view message) { return {Reason::kBadRequest, std::string(message)}; }

// Eight bytes at a time; nearly all text is.
bool is_ascii(std::string_view bytes) {
  uint64_t seen = 0;
  for (; bytes.size() >= sizeof(seen); bytes.remove_prefix(sizeof(seen))) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    seen |= word;
  }
  for (const char c : bytes) seen |= static_cast<uint8_t>(c);
  return (seen & 0x8080808080808080U) == 0;
}

// The first three fields of a small message, whichever way they came.
struct Fields {
  uint64_t numbers[4] = {};
  std::string_view texts[4];
  bool seen[4] = {};
};

Result<Fields> read_fields(std::string_view bytes) {
  Fields fields;
  WireReader reader(bytes);
  WireField found;
  while (reader.next(found)) {
    if (found.number > 3) continue;
    fields.numbers[found.number] = found.value;
    fields.texts[found.number] = found.bytes;
    fields.seen[found.number] = true;
  }
  if (!reader.error().empty()) return bad(reader.error());
  return fields;
}

Result<Value> read_quantity(json::Arena& arena, std::string_view bytes) {
  const Fields fields = TRY(read_fields(bytes));
  if (!fields.seen[1]) return Value::borrowed("0");
  const Quantity quantity = TRY(Quantity::parse(fields.texts[1]));
  return Value::string(arena, quantity.str());
}

Result<Value> read_int_or_string(json::Arena& arena, std::string_view bytes) {
  const Fields fields = TRY(read_fields(bytes));
  if (fields.numbers[1] == 0) return Value::integer(static_cast<int32_t>(fields.numbers[2]));
  if (fields.numbers[1] == 1) return Value::borrowed(valid_text(arena, fields.texts[3]));
  return bad("impossible IntOrString.Type");
}

Result<Value> read_time(json::Arena& arena, std::string_view bytes, TimePrecision precision) {
  if (bytes.empty()) return Value();
  const Fields fields = TRY(read_fields(bytes));
  Timestamp time{static_cast<int64_t>(fields.numbers[1]), 0};
  if (precision == TimePrecision::kMicros) {
    constexpr int32_t kSecond = 1'000'000'000;
    const auto nanos = static_cast<int32_t>(fields.numbers[2]);
    // Upstream cuts towards zero, then lets seconds lend to what is negative.
    time.nanos = nanos / 1000 * 1000 % kSecond;
    const int64_t carried = nanos / kSecond - (time.nanos < 0 ? 1 : 0);
    if (time.nanos < 0) time.nanos += kSecond;
    if (__builtin_add_overflow(time.seconds, carried, &time.seconds))
      return bad("year outside of range [0,9999]");
  }
  if (time.is_zero()) return Value();
  return Value::string(arena, TRY(format_timestamp(time, precision)));
}

Result<Value> read_strings(json::Arena& arena, std::string_view bytes) {
  Value list = Value::array();
  WireReader reader(bytes);
  WireField found;
  while (reader.next(found)) {
    if (found.number != 1) continue;
    if (found.type != WireType::kBytes) return bad("proto: wrong wireType for field Items");
    list.push_back(arena, Value::borrowed(valid_text(arena, found.bytes)));
  }
  if (!reader.error().empty()) return bad(reader.error());
  return list;
}

Result<void> write_time(ReverseWriter& writer, const Value& value, TimePrecision precision) {
  if (!value.is(Kind::kString)) return bad("a time is no string");
  const Timestamp time = TRY(parse_timestamp(value.as_string(), precision));
  if (time.is_zero()) return {};
  writer.varint_field(
      2, precision == TimePrecision::kMicros ? static_cast<uint64_t>(time.nanos / 1000 * 1000) : 0);
  writer.varint_field(1, static_cast<uint64_t>(time.seconds));
  return {};
}

Result<void> write_int_or_string(ReverseWriter& writer, const Value& value) {
  const bool is_text = value.is(Kind::kString);
  if (!is_text && !value.is(Kind::kInt) && !value.is_null())
    return bad("neither a number nor a string");
  writer.bytes_field(3, is_text ? value.as_string() : std::string_view());
  writer.varint_field(2, value.is(Kind::kInt) ? static_cast<uint64_t>(value.as_int()) : 0);
  writer.varint_field(1, is_text ? 1 : 0);
  return {};
}

Result<void> write_strings(ReverseWriter& writer, const Value& value) {
  if (!value.is(Kind::kArray)) return bad("no list of strings");
  const auto items = value.items();
  for (size_t i = items.size(); i-- > 0;) {
    if (!items[i].is(Kind::kString)) return bad("no list of strings");
    writer.bytes_field(1, items[i].as_string());
  }
  return {};
}

}  // namespace protobuf_forms

std::string_view valid_text(json::Arena& arena, std::string_view bytes) {
  if (protobuf_forms::is_ascii(bytes) || is_utf8(bytes)) return bytes;
  return arena.copy(valid_utf8(bytes));
}

Result<std::string_view> read_bytes_field(std::string_view message, uint32_t number) {
  std::string_view content;
  WireReader reader(message);
  WireField found;
  while (reader.next(found)) {
    if (found.number != number) continue;
    if (found.type != WireType::kBytes) return protobuf_forms::bad("proto: wrong wireType");
    content = found.bytes;
  }
  if (!reader.error().empty()) return protobuf_forms::bad(reader.error());
  return content;
}

Result<json::Value> read_form(json::Arena& arena, const Type& type, std::string_view bytes) {
  using json::Value;
  switch (type.form) {
    case Form::kBytes:
      return Value::string(arena, to_base64(bytes));
    case Form::kQuantity:
      return protobuf_forms::read_quantity(arena, bytes);
    case Form::kIntOrString:
      return protobuf_forms::read_int_or_string(arena, bytes);
    case Form::kTime:
      return protobuf_forms::read_time(arena, bytes, TimePrecision::kSeconds);
    case Form::kMicroTime:
      return protobuf_forms::read_time(arena, bytes, TimePrecision::kMicros);
    case Form::kDuration: {
      const auto fields = TRY(protobuf_forms::read_fields(bytes));
      return Value::string(arena,
                           format_duration(Duration(static_cast<int64_t>(fields.numbers[1]))));
    }
    case Form::kStrings:
      return protobuf_forms::read_strings(arena, bytes);
    default:
      return protobuf_forms::bad(fmt::format("{} has no protobuf", type.name));
  }
}

Result<void> write_form(ReverseWriter& writer, const Type& type, const json::Value& value) {
  const bool is_text = value.is(json::Kind::kString);
  switch (type.form) {
    case Form::kBytes: {
      if (!is_text) return protobuf_forms::bad("bytes are no string");
      writer.bytes(TRY(read_base64(value.as_string())));
      return {};
    }
    case Form::kQuantity:
      if (value.is(json::Kind::kInt)) {
        writer.bytes_field(1, std::to_string(value.as_int()));
      } else if (is_text || value.is_null()) {
        writer.bytes_field(1, is_text ? value.as_string() : "0");
      } else {
        return protobuf_forms::bad("a quantity is no string");
      }
      return {};
    case Form::kIntOrString:
      return protobuf_forms::write_int_or_string(writer, value);
    case Form::kTime:
      if (value.is_null()) return {};
      return protobuf_forms::write_time(writer, value, TimePrecision::kSeconds);
    case Form::kMicroTime:
      if (value.is_null()) return {};
      return protobuf_forms::write_time(writer, value, TimePrecision::kMicros);
    case Form::kDuration: {
      if (!is_text && !value.is_null()) return protobuf_forms::bad("a duration is no string");
      const Duration duration = is_text ? TRY(parse_duration(value.as_string())) : Duration(0);
      writer.varint_field(1, static_cast<uint64_t>(duration.count()));
      return {};
    }
    case Form::kStrings:
      if (value.is_null()) return {};
      return protobuf_forms::write_strings(writer, value);
    default:
      return protobuf_forms::bad(fmt::format("{} has no protobuf", type.name));
  }
}

}  // namespace proa::api
