#include "encryption/kms/kms_provider.h"

#include "crypto/cipher/aes.h"
#include "crypto/digest.h"

namespace proa::encryption {
namespace kms_provider {

constexpr size_t kInfoSize = 32;
// One a key of the KMS and start of a server. Beyond it all are asked for again.
constexpr size_t kMaxSources = 10'000;

// HKDF-Expand of RFC 5869, of which one block of output is all that is needed.
std::string derived_key(std::string_view seed, std::string_view info) {
  return crypto::hmac_sha256(seed, std::string(info) + '\x01').str();
}

Status too_short() { return undecipherable("the stored data was shorter than the required size"); }

Result<std::string> open(std::string_view secret, std::string_view key, std::string_view data) {
  if (data.size() < crypto::kGcmNonceSize) return too_short();
  std::optional<std::string> plain = crypto::open_aes_gcm(
      secret, data.substr(0, crypto::kGcmNonceSize), key, data.substr(crypto::kGcmNonceSize));
  if (!plain) return undecipherable("cipher: message authentication failed");
  return *std::move(plain);
}

}  // namespace kms_provider

Result<void> KmsProvider::encrypt(std::string_view key, std::string_view plain,
                                  std::string& out) const {
  // Also one that expired since writable(): a commit that was accepted is written.
  const std::shared_ptr<const DataKey> made_from = plugin_->data_key();
  if (made_from == nullptr) return plugin_->writable();
  EncryptedObject object = made_from->envelope;
  std::array<unsigned char, kms_provider::kInfoSize + crypto::kGcmNonceSize> fresh;
  random_.fill(fresh);
  object.data.assign(reinterpret_cast<const char*>(fresh.data()), fresh.size());
  const std::string info = object.data.substr(0, kms_provider::kInfoSize);
  const std::string nonce = object.data.substr(kms_provider::kInfoSize);
  crypto::seal_aes_gcm(kms_provider::derived_key(made_from->seed, info), nonce, key, plain,
                       object.data);
  out.append(encode_encrypted_object(object));
  metrics_.key_used(Transformation::kToStorage, plugin_->name(), object.key_id);
  return {};
}

Result<std::string> KmsProvider::decrypt(std::string_view key, std::string_view data) const {
  const EncryptedObject object = TRY(decode_encrypted_object(data));
  const std::string source = TRY(source_of(object));
  metrics_.key_used(Transformation::kFromStorage, plugin_->name(), object.key_id);
  if (object.source_type == EncryptedObject::Source::kKey) {
    if (!crypto::is_aes_key_size(source.size())) {
      return undecipherable("crypto/aes: invalid key size " + std::to_string(source.size()));
    }
    return kms_provider::open(source, key, object.data);
  }
  if (source.size() < kms_provider::kInfoSize) {
    return undecipherable("invalid seed length " + std::to_string(source.size()) +
                          " used for key generation");
  }
  if (object.data.size() < kms_provider::kInfoSize) return kms_provider::too_short();
  const std::string_view rest = object.data;
  return kms_provider::open(
      kms_provider::derived_key(source, rest.substr(0, kms_provider::kInfoSize)), key,
      rest.substr(kms_provider::kInfoSize));
}

Result<std::string> KmsProvider::source_of(const EncryptedObject& object) const {
  const std::string cache_key = cache_key_of(object);
  const std::shared_ptr<const DataKey> own = plugin_->data_key();
  if (own != nullptr && own->envelope.source == object.source &&
      cache_key_of(own->envelope) == cache_key) {
    return own->seed;
  }
  {
    MutexLock lock(mutex_);
    const auto found = sources_.find(cache_key);
    if (found != sources_.end()) return found->second;
  }
  metrics_.cache_missed();
  const Result<std::string> source = plugin_->service().decrypt(object);
  if (!source.ok()) {
    // The plugin may be back soon, or may have lost the key: only it knows.
    return Status(Reason::kServiceUnavailable,
                  "failed to decrypt DEK, error: " + source.status().message())
        .with_details(source.status().details());
  }
  MutexLock lock(mutex_);
  if (sources_.size() >= kms_provider::kMaxSources) sources_.clear();
  sources_[cache_key] = *source;
  metrics_.cache_size(plugin_->name(), sources_.size());
  return *source;
}

bool KmsProvider::is_stale(std::string_view, std::string_view data) const {
  const Result<EncryptedObject> object = decode_encrypted_object(data);
  const std::shared_ptr<const DataKey> own = plugin_->data_key();
  if (!object.ok() || own == nullptr) return true;
  return object->key_id != own->envelope.key_id || object->source_type != own->envelope.source_type;
}

}  // namespace proa::encryption
