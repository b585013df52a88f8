#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/threads/mutex.h"
#include "encryption/kms/kms_service.h"

namespace proa::testkit {

// A KMS plugin's keys, which outlive the services that use them. Thread-safe.
struct FakeKmsState {
  Mutex mutex;
  std::string key_id GUARDED_BY(mutex) = "1";
  std::string healthz GUARDED_BY(mutex) = "ok";
  std::string version GUARDED_BY(mutex) = "v2";
  bool down GUARDED_BY(mutex) = false;
  int decrypts GUARDED_BY(mutex) = 0;
  int encrypts GUARDED_BY(mutex) = 0;

  void set_key(const std::string& id) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    key_id = id;
  }
  void set_down(bool is) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    down = is;
  }
  void set_healthz(const std::string& text) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    healthz = text;
  }
  int decrypt_calls() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    return decrypts;
  }
  int encrypt_calls() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    return encrypts;
  }
};

// "Encrypts" by the key's id in front of the flipped bits.
class FakeKms final : public encryption::KmsService {
 public:
  explicit FakeKms(std::shared_ptr<FakeKmsState> state) : state_(std::move(state)) {}

  Result<encryption::KmsStatus> status() override {
    MutexLock lock(state_->mutex);
    if (state_->down) return unavailable();
    return encryption::KmsStatus{state_->version, state_->healthz, state_->key_id};
  }
  Result<encryption::KmsEncrypted> encrypt(std::string_view plain) override {
    MutexLock lock(state_->mutex);
    if (state_->down) return unavailable();
    ++state_->encrypts;
    return encryption::KmsEncrypted{.ciphertext = state_->key_id + ":" + flipped(plain),
                                    .key_id = state_->key_id,
                                    .annotations = {{"version.encryption.remote.io", "1"}}};
  }
  Result<std::string> decrypt(const encryption::EncryptedObject& object) override {
    MutexLock lock(state_->mutex);
    if (state_->down) return unavailable();
    ++state_->decrypts;
    if (!object.source.starts_with(object.key_id + ":")) {
      return Status(Reason::kInternalError, "not the key");
    }
    return flipped(object.source.substr(object.key_id.size() + 1));
  }

 private:
  static Status unavailable() { return {Reason::kServiceUnavailable, "the plugin is down"}; }
  static std::string flipped(std::string_view text) {
    std::string result;
    for (const char byte : text) result.push_back(static_cast<char>(~byte));
    return result;
  }

  const std::shared_ptr<FakeKmsState> state_;
};

}  // namespace proa::testkit
