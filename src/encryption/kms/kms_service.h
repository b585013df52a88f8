#pragma once

#include <memory>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "encryption/config/configuration.h"
#include "encryption/kms/encrypted_object.h"
#include "encryption/metrics.h"
#include "http/client/request.h"

namespace proa::encryption {

struct KmsStatus {
  std::string version;
  std::string healthz;
  std::string key_id;  // the current one
};

struct KmsEncrypted {
  std::string ciphertext;
  std::string key_id;
  Annotations annotations = {};
};

// A KMS v2 plugin. Calls block, within the configured timeout. Failures keep the gRPC code.
class KmsService {
 public:
  virtual ~KmsService() = default;
  virtual Result<KmsStatus> status() = 0;
  virtual Result<KmsEncrypted> encrypt(std::string_view plain) = 0;
  virtual Result<std::string> decrypt(const EncryptedObject& object) = 0;
};

// Over gRPC, on the plugin's socket. All arguments outlive it. It has a loop of its own, since it
// is needed before and after those of the API. Thread-safe.
std::unique_ptr<KmsService> connect_kms(const KmsConfiguration& configuration,
                                        EncryptionMetrics& metrics, Random& random);
// The same at another place than the configured socket.
std::unique_ptr<KmsService> connect_kms(const KmsConfiguration& configuration, http::Origin origin,
                                        EncryptionMetrics& metrics, Random& random);

}  // namespace proa::encryption
