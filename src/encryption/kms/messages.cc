#include "encryption/kms/messages.h"

#include <array>

#include "api/schema/parse.h"

namespace proa::encryption {
namespace messages {

// What is spoken with a plugin, over gRPC.
constexpr std::string_view kMessages = R"(
group   kms/v2
package v2
openapi v2

type StatusResponse
  1 version  string
  2 healthz  string
  3 key_id   string

type DecryptRequest
  1 ciphertext   bytes
  2 uid          string
  3 key_id       string
  4 annotations  map[string]bytes

type DecryptResponse
  1 plaintext  bytes

type EncryptRequest
  1 plaintext  bytes
  2 uid        string

type EncryptResponse
  1 ciphertext   bytes
  2 key_id       string
  3 annotations  map[string]bytes
)";

api::Schema read() {
  const std::array<api::SchemaFile, 1> files = {{{"kms_v2", kMessages}}};
  auto parsed = api::parse_schema(files);
  CHECK(parsed.ok());
  return std::move(parsed).value();
}

}  // namespace messages

const api::Schema& kms_schema() {
  static const api::Schema kSchema = messages::read();
  return kSchema;
}

}  // namespace proa::encryption
