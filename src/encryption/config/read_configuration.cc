#include "encryption/config/read_configuration.h"

#include "api/validation/configuration.h"
#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "encryption/config/schema.h"

namespace proa::encryption {
namespace read_configuration_unit {

using api::View;

constexpr std::string_view kVersions[] = {"apiserver.config.k8s.io/v1"};
constexpr api::ConfigurationKind kConfiguration{.kind = "EncryptionConfiguration",
                                                .versions = kVersions};
constexpr std::string_view kEndpointScheme = "unix://";
constexpr size_t kMaxBytes = 1 << 20;

Status refused(std::string why) { return {Reason::kInvalid, std::move(why)}; }

std::vector<NamedKey> keys_of(View provider) {
  std::vector<NamedKey> keys;
  for (const View key : provider["keys"].items()) {
    keys.push_back({.name = std::string(key["name"].text()),
                    .secret = from_base64(key["secret"].text()).value_or("")});
  }
  return keys;
}

// "unix:///run/kms.sock". Abstract sockets ("unix:///@kms") are not supported: every user may take
// their names.
Result<std::string> socket_of(std::string_view endpoint) {
  std::string_view path = endpoint;
  if (path.starts_with(kEndpointScheme)) path.remove_prefix(kEndpointScheme.size());
  if (path.starts_with('/') && !path.starts_with("/@")) return std::string(path);
  return refused("invalid endpoint for kms provider: " + std::string(endpoint) +
                 " must be unix:// and an absolute path");
}

Result<KmsConfiguration> kms_of(View kms) {
  if (kms["apiVersion"].text() != "v2") {
    return refused(
        "error while building transformers: KMSv1 is deprecated and will only receive security "
        "updates going forward. Use KMSv2 instead.");
  }
  KmsConfiguration read{.name = std::string(kms["name"].text())};
  read.socket = TRY(socket_of(kms["endpoint"].text()));
  if (kms["timeout"].exists()) read.timeout = TRY(parse_duration(kms["timeout"].text()));
  return read;
}

Result<ProviderConfiguration> provider_of(View provider) {
  using Kind = ProviderConfiguration::Kind;
  ProviderConfiguration read;
  if (provider["kms"].exists()) {
    read.kind = Kind::kKms;
    read.kms = TRY(kms_of(provider["kms"]));
  } else if (provider["aesgcm"].exists()) {
    read = {.kind = Kind::kAesGcm, .keys = keys_of(provider["aesgcm"])};
  } else if (provider["aescbc"].exists()) {
    read = {.kind = Kind::kAesCbc, .keys = keys_of(provider["aescbc"])};
  } else if (provider["secretbox"].exists()) {
    read = {.kind = Kind::kSecretbox, .keys = keys_of(provider["secretbox"])};
  }
  return read;
}

Result<EncryptionConfiguration> configuration_of(View root) {
  EncryptionConfiguration read;
  for (const View entry : root["resources"].items()) {
    ResourceConfiguration& one = read.resources.emplace_back();
    for (const View name : entry["resources"].items()) {
      one.resources.push_back(GroupResource::parse(name.text()));
    }
    for (const View provider : entry["providers"].items()) {
      ProviderConfiguration next = TRY(provider_of(provider));
      one.providers.push_back(std::move(next));
    }
  }
  return read;
}

Result<std::string> read_text(Files& files, const std::string& path) {
  Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text.ok()) {
    return text.status().in("error reading encryption provider configuration file " +
                            api::quoted(path));
  }
  if (text->empty()) {
    return refused("encryption provider configuration file " + api::quoted(path) + " is empty");
  }
  return text;
}

std::string hash_of(std::string_view text) { return "sha256:" + crypto::sha256(text).hex(); }

}  // namespace read_configuration_unit

GroupResource GroupResource::parse(std::string_view text) {
  const std::optional<Halves> halves = split_once(text, '.');
  if (!halves) return {.group = "", .resource = std::string(text)};
  return {.group = std::string(halves->after), .resource = std::string(halves->before)};
}

std::string GroupResource::str() const {
  if (group.empty()) return resource == "*" ? "*." : resource;
  return resource + "." + group;
}

Result<EncryptionConfiguration> parse_configuration(std::string_view text, Reload reload) {
  using namespace read_configuration_unit;
  const json::Document document =
      TRY(api::read_configuration(text, encryption_schema(), kConfiguration));
  const View root = document.root();
  api::FieldErrors errors;
  validate_configuration(root, reload, errors);
  if (errors.empty()) return configuration_of(root);
  return refused(api::aggregate_text(errors.texts()));
}

Result<ConfigurationFile> read_configuration(Files& files, const std::string& path, Reload reload) {
  using namespace read_configuration_unit;
  const Result<std::string> text = read_text(files, path);
  if (!text.ok()) return text.status().in("error while loading file");
  Result<EncryptionConfiguration> parsed = parse_configuration(*text, reload);
  if (!parsed.ok()) return parsed.status().in("error while parsing file");
  return ConfigurationFile{.configuration = std::move(*parsed), .hash = hash_of(*text)};
}

Result<std::string> hash_of_configuration(Files& files, const std::string& path) {
  using namespace read_configuration_unit;
  const std::string text = TRY(read_text(files, path));
  return hash_of(text);
}

}  // namespace proa::encryption
