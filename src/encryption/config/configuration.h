#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

// EncryptionConfiguration as structs.

namespace proa::encryption {

// "secrets", "deployments.apps"; "*" stands for all.
struct GroupResource {
  std::string group;
  std::string resource;

  // As schema.ParseGroupResource: the group follows the first dot.
  static GroupResource parse(std::string_view text);
  // "*." for all of the core.
  std::string str() const;
  auto operator<=>(const GroupResource&) const = default;
};

struct NamedKey {
  std::string name;
  std::string secret;  // bytes
};

struct KmsConfiguration {
  std::string name;
  std::string socket;  // a path
  Duration timeout = std::chrono::seconds(3);
};

struct ProviderConfiguration {
  enum class Kind : uint8_t { kIdentity, kAesGcm, kAesCbc, kSecretbox, kKms };
  Kind kind = Kind::kIdentity;
  std::vector<NamedKey> keys = {};
  KmsConfiguration kms = {};
};

struct ResourceConfiguration {
  std::vector<GroupResource> resources;
  std::vector<ProviderConfiguration> providers;  // the first one writes
};

// Validated.
struct EncryptionConfiguration {
  std::vector<ResourceConfiguration> resources;
};

}  // namespace proa::encryption
