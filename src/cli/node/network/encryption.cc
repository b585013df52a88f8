#include "cli/node/network/encryption.h"

#include "base/strings.h"
#include "crypto/x25519.h"
#include "netlink/wireguard/wireguard.h"

namespace proa::cli {
namespace network_encryption {

constexpr size_t kMaxKeyFile = 256;

Result<netlink::WireguardKey> load_key(Files& files, Random& random, const std::string& path) {
  const auto text = files.read_file(path, kMaxKeyFile);
  if (text.ok()) {
    const auto key = netlink::parse_key(trim(*text));
    if (key) return *key;
    return Status(Reason::kInvalid,
                  path + " has no WireGuard key; remove it to have a new one made");
  }
  if (!text.is(Reason::kNotFound)) return text.status();
  const netlink::WireguardKey made = crypto::new_x25519_key(random);
  TRY(files.make_dirs(path.substr(0, path.rfind('/')), 0700));
  TRY(files.write_file_atomic(path, netlink::key_text(made) + "\n", 0600));
  return made;
}

}  // namespace network_encryption

Result<EncryptionKeys> load_encryption_keys(Files& files, Random& random,
                                            const std::string& key_file) {
  EncryptionKeys keys;
  keys.encryption.private_key = TRY(network_encryption::load_key(files, random, key_file));
  const auto public_key = TRY(crypto::x25519_public_key(keys.encryption.private_key));
  keys.public_key = netlink::key_text(public_key);
  return keys;
}

Result<EncryptionKeys> prepare_encryption(Files& files, Clock& clock, Random& random,
                                          const std::string& key_file) {
  const auto wireguard = netlink::Wireguard::open(clock);
  if (wireguard.is(Reason::kNotFound)) {
    return Status(Reason::kNotFound,
                  "--pod-network-encryption needs WireGuard, which this kernel does not have; load "
                  "the module wireguard, or install a kernel with it (5.6 or later), or omit the "
                  "flag on all nodes");
  }
  if (!wireguard.ok()) return wireguard.status().in("--pod-network-encryption");
  return load_encryption_keys(files, random, key_file);
}

}  // namespace proa::cli
