#include "encryption/providers/keyed_provider.h"

#include "base/check.h"
#include "base/strings.h"

namespace proa::encryption {
namespace keyed_provider {

using Kind = ProviderConfiguration::Kind;

std::string prefix_of(Kind kind) {
  switch (kind) {
    case Kind::kAesGcm:
      return "k8s:enc:aesgcm:v1:";
    case Kind::kAesCbc:
      return "k8s:enc:aescbc:v1:";
    default:
      CHECK(kind == Kind::kSecretbox);
      return "k8s:enc:secretbox:v1:";
  }
}

std::unique_ptr<Cipher> cipher_of(Kind kind, const std::string& secret) {
  if (kind == Kind::kAesGcm) return make_aes_gcm(secret);
  return kind == Kind::kAesCbc ? make_aes_cbc(secret) : make_secretbox(secret);
}

}  // namespace keyed_provider

Status combined(const std::vector<Status>& failures) {
  CHECK(!failures.empty());
  if (failures.size() == 1) return failures.front();
  std::vector<std::string> texts;
  Reason reason = Reason::kForbidden;
  for (const Status& failure : failures) {
    texts.push_back(failure.message());
    if (failure.is(Reason::kServiceUnavailable)) reason = Reason::kServiceUnavailable;
  }
  return {reason, "[" + join(texts, ", ") + "]"};
}

KeyedProvider::KeyedProvider(const ProviderConfiguration& configuration, Random& random)
    : Provider(keyed_provider::prefix_of(configuration.kind)),
      random_(random),
      unmatched_(
          std::string("no matching key was found for the provided ") +
          (configuration.kind == ProviderConfiguration::Kind::kSecretbox ? "Secretbox" : "AES") +
          " transformer") {
  CHECK(!configuration.keys.empty());
  for (const NamedKey& key : configuration.keys) {
    if (KeyedProvider::has_key(key.name)) names_suffice_ = false;
    keys_.push_back({.prefix = key.name + ":",
                     .cipher = keyed_provider::cipher_of(configuration.kind, key.secret)});
  }
}

bool KeyedProvider::has_key(std::string_view name) const {
  for (const Key& key : keys_) {
    if (std::string_view(key.prefix).substr(0, key.prefix.size() - 1) == name) return true;
  }
  return false;
}

Result<void> KeyedProvider::encrypt(std::string_view key, std::string_view plain,
                                    std::string& out) const {
  out.append(keys_.front().prefix);
  keys_.front().cipher->encrypt(key, plain, random_, out);
  return {};
}

Result<std::string> KeyedProvider::decrypt(std::string_view key, std::string_view data) const {
  std::vector<Status> failures;
  for (const Key& one : keys_) {
    if (!data.starts_with(one.prefix)) continue;
    Result<std::string> plain = one.cipher->decrypt(key, data.substr(one.prefix.size()));
    if (plain.ok()) return plain;
    failures.push_back(plain.status());
  }
  if (!failures.empty()) return combined(failures);
  return undecipherable(unmatched_);
}

bool KeyedProvider::is_stale(std::string_view key, std::string_view data) const {
  const Key& first = keys_.front();
  if (!data.starts_with(first.prefix)) return true;
  return !names_suffice_ && !first.cipher->decrypt(key, data.substr(first.prefix.size())).ok();
}

}  // namespace proa::encryption
