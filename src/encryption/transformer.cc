#include "encryption/transformer.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"
#include "encryption/kms/kms_provider.h"
#include "encryption/providers/keyed_provider.h"

namespace proa::encryption {
namespace transformer {

const GroupResource kAll{.group = "*", .resource = "*"};

Status masked(const GroupResource& rule, const GroupResource& by) {
  return {Reason::kInvalid, "error while building transformers: resource " +
                                api::quoted(rule.str()) + " is masked by earlier rule " +
                                api::quoted(by.str())};
}

// What says which key encrypted a value: "k8s:enc:aescbc:v1:key1:". Input is not trusted: names of
// keys are short and printable, other bytes are not shown.
std::string_view prefix_on_disk(std::string_view bytes) {
  constexpr size_t kMaxBytes = 300;
  constexpr int kColons = 5;
  int colons = 0;
  for (size_t i = 0; i < std::min(bytes.size(), kMaxBytes); ++i) {
    if (bytes[i] <= ' ' || bytes[i] > '~') break;
    if (bytes[i] == ':' && ++colons == kColons) return bytes.substr(0, i + 1);
  }
  return {};
}

// Such a failure with what the value on disk asks for.
Status unreadable(const Status& why, const store::DiskValue& stored) {
  const std::string_view prefix =
      stored.transformed ? prefix_on_disk(stored.bytes) : std::string_view();
  if (prefix.empty()) return why;
  return {why.reason(),
          fmt::format("{}; the value on disk begins with {}", why.message(), api::quoted(prefix))};
}

// A key's name is no proof where two keys share it: such providers try the key.
void distrust_shared_names(const ProviderChain& chain, const Provider& added,
                           const std::vector<NamedKey>& keys) {
  for (const auto& before : chain) {
    if (before == nullptr || before->prefix() != added.prefix()) continue;
    for (const NamedKey& key : keys) {
      if (before->has_key(key.name)) before->distrust_names();
    }
  }
}

}  // namespace transformer

Result<std::shared_ptr<const Transformer>> Transformer::make(
    const EncryptionConfiguration& configuration, EncryptionMetrics& metrics, Random& random,
    const MakeKms& make_kms) {
  auto made = std::make_shared<Transformer>(metrics);
  for (const ResourceConfiguration& entry : configuration.resources) {
    TRY(made->add(entry, random, make_kms));
  }
  for (const auto& plugin : made->plugins_) {
    static_cast<void>(plugin->probe());
    plugin->start();
  }
  return std::shared_ptr<const Transformer>(std::move(made));
}

std::shared_ptr<Provider> Transformer::make_provider(const ProviderConfiguration& configuration,
                                                     Random& random, const MakeKms& make_kms) {
  using Kind = ProviderConfiguration::Kind;
  if (configuration.kind == Kind::kIdentity) return nullptr;
  if (configuration.kind != Kind::kKms) {
    return std::make_shared<KeyedProvider>(configuration, random);
  }
  auto plugin = std::make_shared<KmsPlugin>(configuration.kms.name, make_kms(configuration.kms),
                                            metrics_, random);
  plugins_.push_back(plugin);
  kms_timeouts_ += configuration.kms.timeout;
  return std::make_shared<KmsProvider>(std::move(plugin), metrics_, random);
}

Result<void> Transformer::add(const ResourceConfiguration& entry, Random& random,
                              const MakeKms& make_kms) {
  ProviderChain providers;
  for (const ProviderConfiguration& configuration : entry.providers) {
    providers.push_back(make_provider(configuration, random, make_kms));
  }
  for (const GroupResource& rule : entry.resources) {
    const GroupResource group{.group = rule.group, .resource = "*"};
    if (chains_.contains(group)) return transformer::masked(rule, group);
    if (chains_.contains(transformer::kAll)) return transformer::masked(rule, transformer::kAll);
    ProviderChain& chain = chains_[rule];
    for (size_t i = 0; i < providers.size(); ++i) {
      if (providers[i] != nullptr) {
        transformer::distrust_shared_names(chain, *providers[i], entry.providers[i].keys);
      }
      chain.push_back(providers[i]);
    }
  }
  return {};
}

const ProviderChain* Transformer::find_chain(const KeyedResource& resource) const {
  const std::string group(resource.group);
  for (const GroupResource& rule : {GroupResource{group, std::string(resource.resource)},
                                    GroupResource{group, "*"}, transformer::kAll}) {
    const auto found = chains_.find(rule);
    if (found != chains_.end()) return &found->second;
  }
  return nullptr;
}

std::unique_ptr<const Transformer::Bound> Transformer::bind(const KeyedResource& resource) const {
  const ProviderChain* chain = find_chain(resource);
  if (chain == nullptr) return nullptr;
  const std::string name =
      GroupResource{std::string(resource.group), std::string(resource.resource)}.str();
  std::unique_ptr<Bound> bound(new Bound{
      .chain = chain, .metrics = {}, .unknown = OperationMetrics(metrics_, name, "unknown")});
  for (const auto& provider : *chain) {
    bound->metrics.push_back(std::make_unique<OperationMetrics>(
        metrics_, name, provider == nullptr ? "identity" : provider->prefix()));
  }
  return bound;
}

const Transformer::Bound* Transformer::find(std::string_view key) const {
  if (chains_.empty()) return nullptr;
  const std::optional<KeyedResource> resource = resource_of_key(key);
  if (!resource) return nullptr;
  MutexLock lock(mutex_);
  const auto found = bounds_.find(resource->prefix);
  if (found != bounds_.end()) return found->second.get();
  return bounds_.emplace(resource->prefix, bind(*resource)).first->second.get();
}

Result<void> Transformer::writable(std::string_view key) const {
  const Bound* bound = find(key);
  if (bound == nullptr || bound->chain->front() == nullptr) return {};
  return bound->chain->front()->writable();
}

Result<bool> Transformer::to_disk(std::string_view key, std::string_view value,
                                  std::string& out) const {
  const Bound* bound = find(key);
  if (bound == nullptr || bound->chain->front() == nullptr) return false;
  const Provider& first = *bound->chain->front();
  const Steady begin = metrics_.clock().steady();
  out.append(first.prefix());
  const Result<void> encrypted = first.encrypt(key, value, out);
  bound->metrics.front()->record(Transformation::kToStorage, encrypted, begin);
  TRY(encrypted);
  return true;
}

Result<std::optional<std::string>> Transformer::from_disk(std::string_view key,
                                                          const store::DiskValue& stored) const {
  using Value = std::optional<std::string>;
  const Bound* bound = find(key);
  if (bound == nullptr) {
    if (!stored.transformed) return Value();
    if (chains_.empty()) {
      return transformer::unreadable(
          undecipherable("objects are encrypted: pass the --encryption-provider-config they were "
                         "written with"),
          stored);
    }
    return transformer::unreadable(
        undecipherable("identity transformer tried to read encrypted data: no rule of the "
                       "configuration is about this resource"),
        stored);
  }
  const Steady begin = metrics_.clock().steady();
  std::vector<Status> failures;
  for (size_t i = 0; i < bound->chain->size(); ++i) {
    const Provider* provider = (*bound->chain)[i].get();
    if (provider == nullptr) {
      if (stored.transformed) continue;
      bound->metrics[i]->record(Transformation::kFromStorage, {}, begin);
      return Value();
    }
    if (!stored.transformed || !stored.bytes.starts_with(provider->prefix())) continue;
    Result<std::string> plain =
        provider->decrypt(key, stored.bytes.substr(provider->prefix().size()));
    const Result<void> outcome = plain.ok() ? Result<void>() : Result<void>(plain.status());
    bound->metrics[i]->record(Transformation::kFromStorage, outcome, begin);
    if (plain.ok()) return Value(*std::move(plain));
    // Another one with the same prefix may have the key.
    failures.push_back(plain.status());
  }
  if (!failures.empty()) return transformer::unreadable(combined(failures), stored);
  const Status unmatched =
      transformer::unreadable(undecipherable("no matching prefix found"), stored);
  bound->unknown.record(Transformation::kFromStorage, unmatched, begin);
  return unmatched;
}

bool Transformer::is_stale(std::string_view key, const store::DiskValue& stored) const {
  const Bound* bound = find(key);
  const Provider* first = bound == nullptr ? nullptr : bound->chain->front().get();
  if (first == nullptr || !stored.transformed) return stored.transformed != (first != nullptr);
  if (!stored.bytes.starts_with(first->prefix())) return true;
  return first->is_stale(key, stored.bytes.substr(first->prefix().size()));
}

Result<void> Transformer::health() const {
  std::vector<Status> failures;
  for (size_t i = 0; i < plugins_.size(); ++i) {
    const Result<void> healthy = plugins_[i]->health();
    if (!healthy.ok()) {
      failures.push_back(healthy.status().in("kms-provider-" + std::to_string(i)));
    }
  }
  if (failures.empty()) return {};
  return combined(failures);
}

}  // namespace proa::encryption
