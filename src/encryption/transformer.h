#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "base/threads/mutex.h"
#include "encryption/config/configuration.h"
#include "encryption/kms/kms_plugin.h"
#include "encryption/metrics.h"
#include "encryption/providers/provider.h"
#include "encryption/resource_keys.h"
#include "store/value_transformer.h"

namespace proa::encryption {

// The providers of a resource, in the order of the configuration: the first one writes, all of them
// read. Null: the values themselves.
using ProviderChain = std::vector<std::shared_ptr<Provider>>;

// Encrypts the values of resources as an EncryptionConfiguration says. Those of other resources are
// written as they are, and must not be encrypted on disk. Thread-safe.
class Transformer final : public store::ValueTransformer {
 public:
  using MakeKms = std::function<std::unique_ptr<KmsService>(const KmsConfiguration&)>;

  // All but `make_kms` outlive it. A Status if a rule can never apply. KMS plugins are asked once,
  // and need not answer.
  static Result<std::shared_ptr<const Transformer>> make(
      const EncryptionConfiguration& configuration, EncryptionMetrics& metrics, Random& random,
      const MakeKms& make_kms);

  Result<void> writable(std::string_view key) const override;
  Result<bool> to_disk(std::string_view key, std::string_view value,
                       std::string& out) const override;
  Result<std::optional<std::string>> from_disk(std::string_view key,
                                               const store::DiskValue& stored) const override;
  bool is_stale(std::string_view key, const store::DiskValue& stored) const override;

  // Of the KMS plugins, as /readyz shows it ("kms-providers"). Does not block.
  Result<void> health() const;
  const std::vector<std::shared_ptr<KmsPlugin>>& plugins() const { return plugins_; }
  // The sum of the timeouts of all plugins.
  Duration kms_timeouts() const { return kms_timeouts_; }

  explicit Transformer(EncryptionMetrics& metrics) : metrics_(metrics) {}

 private:
  // A resource, and what is counted of it, for each provider.
  struct Bound {
    const ProviderChain* chain;
    std::vector<std::unique_ptr<OperationMetrics>> metrics;
    OperationMetrics unknown;
  };

  Result<void> add(const ResourceConfiguration& entry, Random& random, const MakeKms& make_kms);
  std::shared_ptr<Provider> make_provider(const ProviderConfiguration& configuration,
                                          Random& random, const MakeKms& make_kms);
  const ProviderChain* find_chain(const KeyedResource& resource) const;
  // Null if no rule applies.
  const Bound* find(std::string_view key) const EXCLUDES(mutex_);
  std::unique_ptr<const Bound> bind(const KeyedResource& resource) const;

  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  EncryptionMetrics& metrics_;
  std::map<GroupResource, ProviderChain> chains_;
  std::vector<std::shared_ptr<KmsPlugin>> plugins_;
  Duration kms_timeouts_{};
  mutable Mutex mutex_;
  // By prefix of the key, made when first needed; null: no rule applies.
  mutable std::unordered_map<std::string, std::unique_ptr<const Bound>, TextHash, std::equal_to<>>
      bounds_ GUARDED_BY(mutex_);
};

}  // namespace proa::encryption
