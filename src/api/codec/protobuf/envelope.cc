#include "api/codec/protobuf/envelope.h"

#include <fmt/format.h>

#include "api/codec/protobuf/forms.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/codec/protobuf/wire.h"
#include "base/strings.h"

namespace proa::api {
namespace envelope {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr size_t kLengthSize = 4;

Status bad(std::string_view message) { return {Reason::kBadRequest, std::string(message)}; }

std::string_view text_of(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found != nullptr && found->is(json::Kind::kString) ? found->as_string()
                                                            : std::string_view();
}

Result<TypeMeta> read_meta(std::string_view bytes) {
  TypeMeta meta;
  WireReader reader(bytes);
  WireField found;
  while (reader.next(found)) {
    if (found.number > 2) continue;
    if (found.type != WireType::kBytes) return bad("proto: wrong wireType for field TypeMeta");
    (found.number == 1 ? meta.api_version : meta.kind) = found.bytes;
  }
  if (!reader.error().empty()) return bad(reader.error());
  return meta;
}

}  // namespace envelope

bool is_enveloped(std::string_view bytes) { return bytes.starts_with(envelope::kMagic); }

Result<Envelope> open_envelope(std::string_view bytes) {
  if (bytes.empty()) return envelope::bad("empty data");
  if (!is_enveloped(bytes)) {
    return envelope::bad(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  bytes.remove_prefix(envelope::kMagic.size());
  if (bytes.empty()) return envelope::bad("empty body");
  Envelope opened;
  WireReader reader(bytes);
  WireField found;
  while (reader.next(found)) {
    if (found.number > 4) continue;
    if (found.type != WireType::kBytes)
      return envelope::bad("proto: wrong wireType for field Unknown");
    if (found.number == 1) {
      opened.meta = TRY(envelope::read_meta(found.bytes));
    } else if (found.number == 2) {
      opened.raw = found.bytes;
    } else {
      (found.number == 3 ? opened.content_encoding : opened.content_type) = found.bytes;
    }
  }
  if (!reader.error().empty()) return envelope::bad(reader.error());
  return opened;
}

std::string unknown_kind(const TypeMeta& meta) {
  // The scheme is a line of upstream's source, which clients see all the same.
  return fmt::format(
      "no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
      meta.kind, meta.api_version);
}

Result<json::Document> from_enveloped(std::string_view bytes, const Schema& schema) {
  const Envelope opened = TRY(open_envelope(bytes));
  const Type* type = schema.find_kind(opened.meta.api_version, opened.meta.kind);
  if (type == nullptr || !type->has_proto) return envelope::bad(unknown_kind(opened.meta));
  return from_protobuf(opened.raw, *type, schema, opened.meta);
}

Result<std::string> to_enveloped(const json::Value& object, const Type& type) {
  ReverseWriter writer;
  writer.bytes_field(4, "");
  writer.bytes_field(3, "");
  const size_t end = writer.size();
  TRY(write_protobuf(writer, object, type));
  writer.end_message(2, end);
  const size_t meta = writer.size();
  writer.bytes_field(2, envelope::text_of(object, "kind"));
  writer.bytes_field(1, envelope::text_of(object, "apiVersion"));
  writer.end_message(1, meta);
  writer.bytes(envelope::kMagic);
  return writer.take();
}

std::string make_watch_frame(const WatchFrame& frame) {
  ReverseWriter writer;
  writer.bytes_field(1, frame.object);
  writer.end_message(2, 0);
  writer.bytes_field(1, frame.type);
  const size_t length = writer.size();
  char prefix[envelope::kLengthSize];
  for (size_t i = 0; i < envelope::kLengthSize; ++i)
    prefix[i] = static_cast<char>(length >> (8 * (envelope::kLengthSize - 1 - i)));
  writer.bytes({prefix, envelope::kLengthSize});
  return writer.take();
}

Result<std::optional<WatchFrame>> take_watch_frame(std::string_view& stream, size_t max_size) {
  if (stream.size() < envelope::kLengthSize) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < envelope::kLengthSize; ++i)
    length = length << 8 | static_cast<uint8_t>(stream[i]);
  if (length > max_size) return Status(Reason::kRequestEntityTooLarge, "frame too large");
  if (stream.size() - envelope::kLengthSize < length) return std::nullopt;
  const std::string_view event = stream.substr(envelope::kLengthSize, length);
  WatchFrame frame;
  frame.type = TRY(read_bytes_field(event, 1));
  const std::string_view extension = TRY(read_bytes_field(event, 2));
  frame.object = TRY(read_bytes_field(extension, 1));
  stream.remove_prefix(envelope::kLengthSize + length);
  return frame;
}

}  // namespace proa::api
