#include "encryption/config/configuration_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace proa::encryption {
namespace configuration_warnings_unit {

using Kind = ProviderConfiguration::Kind;

bool covers(const GroupResource& wide, const GroupResource& narrow) {
  return (wide.group == "*" || wide.group == narrow.group) &&
         (wide.resource == "*" || wide.resource == narrow.resource);
}

// The first entry that is about all of `rule`: its first provider writes that. nullopt: none of
// those before `end`.
std::optional<size_t> entry_of(const EncryptionConfiguration& configuration,
                               const GroupResource& rule, size_t end) {
  for (size_t i = 0; i < end; ++i) {
    for (const GroupResource& other : configuration.resources[i].resources) {
      if (covers(other, rule)) return i;
    }
  }
  return std::nullopt;
}

bool writes_secrets(const EncryptionConfiguration& configuration, size_t index) {
  const GroupResource secrets{.group = "", .resource = "secrets"};
  return entry_of(configuration, secrets, index + 1) == index;
}

// About the provider that writes.
void judge_writer(const EncryptionConfiguration& configuration, size_t index,
                  std::vector<std::string>& warnings) {
  const ResourceConfiguration& entry = configuration.resources[index];
  if (entry.providers.empty()) return;
  switch (entry.providers.front().kind) {
    case Kind::kIdentity:
      if (entry.providers.size() > 1 && writes_secrets(configuration, index)) {
        warnings.push_back(fmt::format(
            "resources[{}]: identity is the first provider, so secrets are written in plain text; "
            "put it last unless encryption is to be disabled",
            index));
      }
      return;
    case Kind::kAesCbc:
      warnings.push_back(fmt::format(
          "resources[{}]: aescbc is not authenticated and may be attacked by padding oracles; use "
          "secretbox or kms",
          index));
      return;
    case Kind::kAesGcm:
      warnings.push_back(fmt::format(
          "resources[{}]: aesgcm is safe only if its key is rotated before many writes, by an "
          "automated process; use secretbox or kms otherwise",
          index));
      return;
    case Kind::kSecretbox:
    case Kind::kKms:
      return;
  }
}

bool has_keys(const EncryptionConfiguration& configuration) {
  return std::ranges::any_of(configuration.resources, [](const ResourceConfiguration& entry) {
    return std::ranges::any_of(entry.providers, [](const ProviderConfiguration& provider) {
      return !provider.keys.empty();
    });
  });
}

}  // namespace configuration_warnings_unit

std::vector<std::string> configuration_warnings(const EncryptionConfiguration& configuration) {
  using namespace configuration_warnings_unit;  // NOLINT: of this file only
  std::vector<std::string> warnings;
  for (size_t i = 0; i < configuration.resources.size(); ++i) {
    bool writes = false;
    for (const GroupResource& rule : configuration.resources[i].resources) {
      const std::optional<size_t> writer = entry_of(configuration, rule, i);
      writes = writes || !writer;
      if (!writer) continue;
      warnings.push_back(
          fmt::format("resources[{}]: {} is already in resources[{}], whose first provider writes "
                      "it; the providers here only read",
                      i, rule.str(), *writer));
    }
    if (writes) judge_writer(configuration, i, warnings);
  }
  return warnings;
}

std::optional<std::string> mode_warning(const EncryptionConfiguration& configuration, mode_t mode) {
  constexpr mode_t kOthers = 077;
  if ((mode & kOthers) == 0 || !configuration_warnings_unit::has_keys(configuration)) {
    return std::nullopt;
  }
  return fmt::format("the file has keys, and its mode {:04o} is open to others; chmod 0600 it",
                     mode & 07777);
}

}  // namespace proa::encryption
