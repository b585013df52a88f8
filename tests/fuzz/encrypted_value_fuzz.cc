// Encrypted values as on a corrupt or hostile disk: all providers, and the envelope of KMS v2.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "encryption/kms/encrypted_object.h"
#include "testkit/encryption/test_transformer.h"

namespace proa::encryption {
namespace encrypted_value_fuzz {

// Ciphers that authenticate take nothing but what they made.
void check_value(std::string_view key, std::string_view bytes) {
  static const testkit::TestTransformer kTransformer("abcs-");
  const auto plain = kTransformer.from_disk(key, {.bytes = bytes, .transformed = true});
  static_cast<void>(kTransformer.is_stale(key, {.bytes = bytes, .transformed = true}));
  if (!plain.ok()) return;
  if (!*plain || !bytes.starts_with("k8s:enc:aescbc:")) std::abort();
}

// What was encrypted comes back, whatever it is.
void check_round_trip(std::string_view key, std::string_view value) {
  static const testkit::TestTransformer kTransformers[] = {
      testkit::TestTransformer("a"), testkit::TestTransformer("c"), testkit::TestTransformer("s")};
  for (const testkit::TestTransformer& transformer : kTransformers) {
    std::string stored;
    const auto made = transformer.to_disk(key, value, stored);
    if (!made.ok() || !*made) std::abort();
    const auto plain = transformer.from_disk(key, {.bytes = stored, .transformed = true});
    if (!plain.ok() || *plain != value) std::abort();
  }
}

void check_envelope(std::string_view bytes) {
  const auto object = decode_encrypted_object(bytes);
  if (!object.ok()) return;
  const auto again = decode_encrypted_object(encode_encrypted_object(*object));
  if (!again.ok() || again->data != object->data || cache_key_of(*again) != cache_key_of(*object)) {
    std::abort();
  }
}

}  // namespace encrypted_value_fuzz
}  // namespace proa::encryption

// The first byte selects the check, the second one the length of the key.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::encryption::encrypted_value_fuzz;  // NOLINT: the entry point has no
                                                           // namespace
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string key = "/" + std::string(input.substr(0, data[1] % 32));
  switch (data[0] % 3) {
    case 0:
      check_value(key, input);
      break;
    case 1:
      check_round_trip(key, input);
      break;
    default:
      check_envelope(input);
      break;
  }
  return 0;
}
