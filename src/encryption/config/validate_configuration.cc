#include "encryption/config/validate_configuration.h"

#include <algorithm>
#include <set>

#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "base/time.h"
#include "encryption/config/configuration.h"

namespace proa::encryption {
namespace validate_configuration_unit {

using api::FieldErrors;
using api::Path;
using api::View;

constexpr std::string_view kRedacted = "REDACTED";

std::string at_least_one(const Path& path) { return "at least one " + path.str() + " is required"; }

bool overlap(const GroupResource& one, const GroupResource& other) {
  if (one.group == "*" && one.resource == "*") return true;
  return one.group == other.group && (one.resource == "*" || other.resource == "*");
}

void check_overlap(View resources, const Path& path, FieldErrors& errors) {
  std::vector<GroupResource> parsed;
  for (const View one : resources.items()) parsed.push_back(GroupResource::parse(one.text()));
  bool duplicate = false;
  bool masked = false;
  for (size_t i = 0; i < parsed.size(); ++i) {
    for (size_t j = 0; j < parsed.size(); ++j) {
      if (i == j) continue;
      // As upstream's loop: the first pair of duplicates is not looked at further.
      if (parsed[i] == parsed[j] && !duplicate) {
        duplicate = true;
      } else if (overlap(parsed[i], parsed[j])) {
        masked = true;
      }
    }
  }
  if (duplicate) {
    errors.invalid(path, resources, "the same resource cannot be specified multiple times");
  }
  if (masked) {
    errors.invalid(path, resources,
                   "using overlapping resources such as 'secrets' and '*.' in the same resource "
                   "list is not allowed as they will be masked");
  }
}

// What is wrong about the name of a resource; empty: nothing.
std::string_view name_problem(std::string_view name) {
  if (to_lower(name) != name) return "resource name should not contain capital letters";
  if (name == "*") {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all "
           "resources";
  }
  if (name == "apiserveripinfo" || name == "serviceipallocations" ||
      name == "servicenodeportallocations") {
    return "resources which do not have REST API/s cannot be encrypted";
  }
  const GroupResource parsed = GroupResource::parse(name);
  if (parsed.group == "events.k8s.io") {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use "
           "'events' instead in the config file";
  }
  if (parsed.group == "extensions") {
    return "'extensions' group has been removed and cannot be used for encryption";
  }
  if (parsed.group == "*" && parsed.resource != "*") {
    return "encrypting the same resource across groups is not supported";
  }
  return {};
}

void check_names(View resources, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string_view name = resources.item(i).text();
    const std::string_view problem = name_problem(name);
    if (!problem.empty()) errors.invalid(path.index(i), name, problem);
  }
}

void check_key(View key, const Path& path, std::span<const size_t> sizes, FieldErrors& errors) {
  if (key["name"].text().empty()) {
    errors.required(path.field("name"), "name is a mandatory field for a key");
  }
  const Path secret = path.field("secret");
  if (key["secret"].text().empty()) {
    errors.required(secret, "secret is a mandatory field for a key");
    return;
  }
  const std::optional<std::string> bytes = from_base64(key["secret"].text());
  if (!bytes) {
    errors.invalid(secret, kRedacted, "secrets must be base64 encoded");
    return;
  }
  if (std::find(sizes.begin(), sizes.end(), bytes->size()) != sizes.end()) return;
  std::string expected;
  for (const size_t size : sizes) {
    expected += (expected.empty() ? "" : " ") + std::to_string(size);
  }
  errors.invalid(secret, kRedacted,
                 "secret is not of the expected length, got " + std::to_string(bytes->size()) +
                     ", expected one of [" + expected + "]");
}

void check_keys(View keys, const Path& path, std::span<const size_t> sizes, FieldErrors& errors) {
  if (keys.empty()) errors.required(path, "at least one keys is required");
  for (size_t i = 0; i < keys.size(); ++i) {
    const Path key = path.index(i);
    check_key(keys.item(i), key, sizes, errors);
  }
}

void check_endpoint(std::string_view endpoint, const Path& path, FieldErrors& errors) {
  if (endpoint.empty()) {
    errors.invalid(path, "", "endpoint is a mandatory field for a kms");
    return;
  }
  const std::optional<Halves> halves = split_once(endpoint, ':');
  const std::string_view scheme = halves ? halves->before : std::string_view();
  if (scheme == "unix") return;
  errors.invalid(
      path, endpoint,
      "unsupported scheme " + api::quoted(scheme) + " for KMS provider, only unix is supported");
}

void check_kms(View kms, const Path& path, Reload reload, const std::set<std::string_view>& names,
               FieldErrors& errors) {
  const std::string_view name = kms["name"].text();
  const std::string_view version = kms["apiVersion"].text("v1");
  const bool is_v1 = version == "v1" || version.empty();
  const Path name_path = path.field("name");
  if (name.empty()) errors.required(name_path, "name is a mandatory field for a provider");
  if (!is_v1 && name.find(':') != std::string_view::npos) {
    errors.invalid(name_path, name,
                   "invalid KMS provider name " + std::string(name) + ", must not contain ':'");
  }
  if ((reload == Reload::kOn || !is_v1) && names.contains(name)) {
    errors.invalid(name_path, name,
                   "duplicate KMS provider name " + std::string(name) + ", names must be unique");
  }
  const Result<Duration> timeout = parse_duration(kms["timeout"].text("3s"));
  if (!timeout.ok() || *timeout <= Duration::zero()) {
    errors.invalid(path.field("timeout"), kms["timeout"], "timeout should be a positive value");
  }
  check_endpoint(kms["endpoint"].text(), path.field("endpoint"), errors);
  const View cache = kms["cachesize"];
  if (!is_v1 && cache.exists()) {
    errors.invalid(path.field("cachesize"), cache, "cachesize is not supported in v2");
  }
  if (is_v1 && cache.exists() && cache.integer() == 0) {
    errors.invalid(path.field("cachesize"), cache,
                   "cachesize should be a positive value, or negative to disable");
  }
  if (!is_v1 && version != "v2") {
    // Upstream prints the field's name in place of its value.
    errors.invalid(path.field("apiVersion"), version,
                   "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are "
                   "supported");
  }
}

void check_provider(View provider, const Path& path, Reload reload,
                    std::set<std::string_view>& kms_names, FieldErrors& errors) {
  constexpr const char* kKinds[] = {"kms", "aesgcm", "aescbc", "secretbox", "identity"};
  const auto found = std::count_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const char* kind) { return provider[kind].exists(); });
  // Without the value: it has secrets.
  if (found == 0) {
    errors.invalid_whole(path,
                         "provider does not contain any of the expected providers: KMS, AESGCM, "
                         "AESCBC, Secretbox, Identity");
  }
  if (found > 1) {
    errors.invalid_whole(path,
                         "more than one provider specified in a single element, should split into "
                         "different list elements");
  }
  static constexpr size_t kAesSizes[] = {16, 24, 32};
  static constexpr size_t kSecretboxSizes[] = {32};
  if (const View kms = provider["kms"]; kms.exists()) {
    check_kms(kms, path.field("kms"), reload, kms_names, errors);
    kms_names.insert(kms["name"].text());
  } else if (const View gcm = provider["aesgcm"]; gcm.exists()) {
    check_keys(gcm["keys"], path.field("aesgcm.keys"), kAesSizes, errors);
  } else if (const View cbc = provider["aescbc"]; cbc.exists()) {
    check_keys(cbc["keys"], path.field("aescbc.keys"), kAesSizes, errors);
  } else if (const View box = provider["secretbox"]; box.exists()) {
    check_keys(box["keys"], path.field("secretbox.keys"), kSecretboxSizes, errors);
  }
}

}  // namespace validate_configuration_unit

void validate_configuration(api::View root, Reload reload, api::FieldErrors& errors) {
  using namespace validate_configuration_unit;
  const Path all("resources");
  const View entries = root["resources"];
  if (entries.empty()) errors.required(all, at_least_one(all));
  std::set<std::string_view> kms_names;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Path entry = all.index(i);
    const Path resources = entry.field("resources");
    const Path providers = entry.field("providers");
    const View names = entries.item(i)["resources"];
    const View listed = entries.item(i)["providers"];
    if (names.empty()) errors.required(resources, at_least_one(resources));
    check_overlap(names, resources, errors);
    check_names(names, resources, errors);
    if (listed.empty()) errors.required(providers, at_least_one(providers));
    for (size_t j = 0; j < listed.size(); ++j) {
      const Path provider = providers.index(j);
      check_provider(listed.item(j), provider, reload, kms_names, errors);
    }
  }
}

}  // namespace proa::encryption
