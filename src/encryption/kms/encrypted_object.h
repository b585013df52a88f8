#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::encryption {

using Annotations = std::map<std::string, std::string>;  // values are bytes

// A value on disk as KMS v2 leaves it (upstream's EncryptedObject), in protobuf.
struct EncryptedObject {
  // What the KMS decrypts.
  enum class Source : uint8_t {
    kKey = 0,   // the key of the data
    kSeed = 1,  // a seed from which the keys are derived, one a value (HKDF-SHA256)
  };

  std::string data;
  std::string key_id;
  std::string source;  // encrypted by the KMS
  Annotations annotations = {};
  Source source_type = Source::kKey;
};

// Limits of upstream.
constexpr size_t kMaxKeyIdBytes = 1024;

std::string encode_encrypted_object(const EncryptedObject& object);
// Input is not trusted. Failures are kForbidden, in upstream's words (ValidateEncryptedObject).
Result<EncryptedObject> decode_encrypted_object(std::string_view bytes);
// Of all but the data.
Result<void> validate_envelope(const EncryptedObject& object);
// "empty", "too_long" or "ok".
std::string_view key_id_problem(std::string_view key_id);
Result<void> validate_key_id(std::string_view key_id);

// The same for values whose data key is the same.
std::string cache_key_of(const EncryptedObject& object);

}  // namespace proa::encryption
