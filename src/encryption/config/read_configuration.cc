#include "encryption/config/read_configuration.h"

#include "api/codec/json/decode.h"
#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "encryption/config/schema.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace proa::encryption {
namespace read_configuration_unit {

using api::View;

constexpr std::string_view kVersion = "apiserver.config.k8s.io/v1";
constexpr std::string_view kKind = "EncryptionConfiguration";
constexpr std::string_view kEndpointScheme = "unix://";
constexpr size_t kMaxBytes = 1 << 20;

Status refused(std::string why) { return {Reason::kInvalid, std::move(why)}; }

bool is_json(std::string_view text) { return trim(text).starts_with('{'); }

Result<void> check_kind(std::string_view text) {
  const json::Document loose = TRY(is_json(text) ? json::parse(text) : json::parse_yaml(text));
  const View root = loose.root();
  const std::string_view kind = root["kind"].text();
  const std::string_view version = root["apiVersion"].text();
  // Upstream repeats the text here: ours may have secrets.
  if (kind.empty()) return refused("Object 'Kind' is missing");
  if (version.empty()) return refused("Object 'apiVersion' is missing");
  if (version == kVersion && kind == kKind) return {};
  return refused("no kind " + api::quoted(kind) + " is registered for version " +
                 api::quoted(version));
}

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
  TRY(check_kind(text));
  const api::Type* type = encryption_schema().find_kind(kVersion, kKind);
  CHECK(type != nullptr);
  const auto decode = is_json(text) ? api::decode_json : api::decode_yaml;
  const api::Decoded decoded = TRY(decode(text, *type, api::FieldValidation::kStrict, nullptr));
  const View root = decoded.document.root();
  api::FieldErrors errors;
  validate_configuration(root, reload, errors);
  if (errors.empty()) return configuration_of(root);
  const std::vector<std::string> texts = errors.texts();
  return refused(texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]");
}

Result<ConfigurationFile> read_configuration(Files& files, const std::string& path, Reload reload) {
  using namespace read_configuration_unit;
  const Result<std::string> text = read_text(files, path);
  if (!text.ok()) return text.status().in("error while parsing file: error while loading file");
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
