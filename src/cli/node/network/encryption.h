#pragma once

#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "base/result.h"
#include "network/model/options.h"

namespace proa::cli {

// What the encryption of the pod network needs, and the public key for the Node's annotation.
struct EncryptionKeys {
  network::Encryption encryption;
  std::string public_key;
};

// Reads this node's private key, or makes it at the first start. An error says what to do if the
// kernel has no WireGuard.
Result<EncryptionKeys> prepare_encryption(Files& files, Clock& clock, Random& random,
                                          const std::string& key_file);

// The part that does not ask the kernel.
Result<EncryptionKeys> load_encryption_keys(Files& files, Random& random,
                                            const std::string& key_file);

}  // namespace proa::cli
