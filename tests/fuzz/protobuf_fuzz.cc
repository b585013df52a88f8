// Decoded protobuf becomes JSON that can be encoded again; the result decodes to the same JSON, and
// is stable.

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/envelope.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "json/print.h"

namespace {

using namespace proa;
using namespace proa::api;

void check(std::string_view bytes, const Type& type, const TypeMeta& meta) {
  const Schema& schema = builtin_schema();
  const auto first = from_protobuf(bytes, type, schema, meta);
  if (!first) return;
  // A nil pointer (the zero time) is null in JSON, and dropped when JSON is read.
  const std::string printed = json::print(first->root());
  const auto settled = decode_json(printed, type, FieldValidation::kStrict);
  if (settled.is(Reason::kRequestEntityTooLarge)) return;
  CHECK(settled.ok());
  const json::Value& object = settled->document.root();
  const auto encoded = to_protobuf(object, type);
  CHECK(encoded.ok());
  const auto second = from_protobuf(*encoded, type, schema, meta);
  if (second.is(Reason::kRequestEntityTooLarge)) return;
  CHECK(second.ok());
  CHECK(json::print(second->root()) == json::print(object));
  CHECK(*to_protobuf(second->root(), type) == *encoded);
}

}  // namespace

// The first byte selects: the rest is an enveloped object, a stream of watch frames, or the bare
// message of some type.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data + 3), size - 3);
  const Schema& schema = builtin_schema();
  if (data[0] == 0) {
    const auto envelope = open_envelope(rest);
    if (!envelope) return 0;
    const Type* type = schema.find_kind(envelope->meta.api_version, envelope->meta.kind);
    if (type != nullptr && type->has_proto) check(envelope->raw, *type, envelope->meta);
    return 0;
  }
  if (data[0] == 1) {
    for (;;) {
      const auto frame = take_watch_frame(rest, size_t{1} << 20);
      if (!frame || !frame->has_value()) return 0;
      (void)from_enveloped((*frame)->object, schema);
    }
  }
  const size_t number = (data[1] * size_t{256} + data[2]) % schema.types().size();
  const Type& type = *schema.types()[number];
  if (type.is_message() && type.has_proto) check(rest, type, {});
  return 0;
}
