// JSON or YAML against any type: decoding is idempotent, leaves no unknown fields, and the result
// can be encoded as protobuf.

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "json/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  using namespace proa::api;
  if (size < 3) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 3), size - 3);
  const Schema& schema = builtin_schema();
  const size_t number = (data[1] * size_t{256} + data[2]) % schema.types().size();
  const Type& type = *schema.types()[number];
  if (!type.is_message()) return 0;
  const auto first = data[0] == 'y' ? decode_yaml(text, type, FieldValidation::kWarn)
                                    : decode_json(text, type, FieldValidation::kWarn);
  if (!first) return 0;
  CHECK(first->warnings.size() <= 100);
  const std::string printed = json::print(first->document.root());
  const auto second = decode_json(printed, type, FieldValidation::kStrict);
  if (second.is(Reason::kRequestEntityTooLarge)) return 0;
  CHECK(second.ok());
  CHECK(json::print(second->document.root()) == printed);
  if (type.has_proto) CHECK(to_protobuf(first->document.root(), type).ok());
  return 0;
}
