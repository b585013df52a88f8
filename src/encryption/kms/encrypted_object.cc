#include "encryption/kms/encrypted_object.h"

#include "api/codec/protobuf/wire.h"
#include "api/validation/names.h"
#include "crypto/digest.h"
#include "encryption/providers/provider.h"

namespace proa::encryption {
namespace encrypted_object {

using api::WireField;
using api::WireReader;
using api::WireType;

constexpr size_t kMaxAnnotationBytes = 32 * 1024;
constexpr size_t kMaxSourceBytes = 1024;

enum Number : uint32_t { kData = 1, kKeyId = 2, kSource = 3, kAnnotations = 4, kSourceType = 5 };

Status malformed(std::string_view why) {
  return undecipherable("proto: cannot parse invalid wire-format data: " + std::string(why));
}

Result<void> read_annotation(std::string_view entry, Annotations& annotations) {
  WireReader reader(entry);
  WireField field;
  std::string key;
  std::string value;
  while (reader.next(field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) key = field.bytes;
    if (field.number == 2) value = field.bytes;
  }
  if (!reader.error().empty()) return malformed(reader.error());
  annotations[std::move(key)] = std::move(value);
  return {};
}

Result<void> read_bytes(const WireField& field, EncryptedObject& object) {
  switch (field.number) {
    case kData:
      object.data = field.bytes;
      return {};
    case kKeyId:
      object.key_id = field.bytes;
      return {};
    case kSource:
      object.source = field.bytes;
      return {};
    case kAnnotations:
      return read_annotation(field.bytes, object.annotations);
    default:
      return {};
  }
}

Result<void> validate_annotations(const Annotations& annotations) {
  size_t bytes = 0;
  for (const auto& [name, value] : annotations) {
    bytes += name.size() + value.size();
    const auto problems = api::check_fully_qualified_domain(name);
    if (!problems.empty()) {
      return undecipherable("failed to validate annotations: annotations: Invalid value: \"" +
                            name + "\": " + problems.front());
    }
  }
  if (bytes <= kMaxAnnotationBytes) return {};
  return undecipherable("failed to validate annotations: total size of annotations is " +
                        std::to_string(bytes) + ", which exceeds the max size of " +
                        std::to_string(kMaxAnnotationBytes));
}

void add_part(std::string& out, std::string_view part) {
  out.append(std::to_string(part.size())).append(":").append(part);
}

}  // namespace encrypted_object

std::string encode_encrypted_object(const EncryptedObject& object) {
  using namespace encrypted_object;
  // Back to front. As proto3 does, without a source type that is zero.
  api::ReverseWriter writer;
  if (object.source_type != EncryptedObject::Source::kKey) {
    writer.varint_field(kSourceType, static_cast<uint64_t>(object.source_type));
  }
  for (auto entry = object.annotations.rbegin(); entry != object.annotations.rend(); ++entry) {
    const size_t mark = writer.size();
    writer.bytes_field(2, entry->second);
    writer.bytes_field(1, entry->first);
    writer.end_message(kAnnotations, mark);
  }
  writer.bytes_field(kSource, object.source);
  writer.bytes_field(kKeyId, object.key_id);
  writer.bytes_field(kData, object.data);
  return writer.take();
}

Result<EncryptedObject> decode_encrypted_object(std::string_view bytes) {
  using namespace encrypted_object;
  EncryptedObject object;
  WireReader reader(bytes);
  WireField field;
  while (reader.next(field)) {
    if (field.type == WireType::kBytes) TRY(read_bytes(field, object));
    if (field.type != WireType::kVarint || field.number != kSourceType) continue;
    if (field.value > static_cast<uint64_t>(EncryptedObject::Source::kSeed)) {
      return undecipherable("unknown encryptedDEKSourceType: " + std::to_string(field.value));
    }
    object.source_type = static_cast<EncryptedObject::Source>(field.value);
  }
  if (!reader.error().empty()) return malformed(reader.error());
  if (object.data.empty()) return undecipherable("encrypted data is empty");
  TRY(validate_envelope(object));
  return object;
}

std::string_view key_id_problem(std::string_view key_id) {
  if (key_id.empty()) return "empty";
  return key_id.size() > kMaxKeyIdBytes ? "too_long" : "ok";
}

Result<void> validate_key_id(std::string_view key_id) {
  if (key_id.empty()) return undecipherable("keyID is empty");
  if (key_id.size() <= kMaxKeyIdBytes) return {};
  return undecipherable("keyID is " + std::to_string(key_id.size()) +
                        " bytes, which exceeds the max size of " + std::to_string(kMaxKeyIdBytes));
}

Result<void> validate_envelope(const EncryptedObject& object) {
  using namespace encrypted_object;
  if (object.source.empty()) {
    return undecipherable("failed to validate encrypted DEK source: encrypted DEK source is empty");
  }
  if (object.source.size() > kMaxSourceBytes) {
    return undecipherable("failed to validate encrypted DEK source: encrypted DEK source is " +
                          std::to_string(object.source.size()) +
                          " bytes, which exceeds the max size of " +
                          std::to_string(kMaxSourceBytes));
  }
  if (const Result<void> valid = validate_key_id(object.key_id); !valid.ok()) {
    return valid.status().in("failed to validate key id");
  }
  return validate_annotations(object.annotations);
}

std::string cache_key_of(const EncryptedObject& object) {
  using namespace encrypted_object;
  std::string parts(1, static_cast<char>('0' + static_cast<int>(object.source_type)));
  add_part(parts, object.source);
  add_part(parts, object.key_id);
  for (const auto& [name, value] : object.annotations) {
    add_part(parts, name);
    add_part(parts, value);
  }
  return crypto::sha256(parts).str();
}

}  // namespace proa::encryption
