#include "kubelet/pod/volumes/content/sources.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "kubelet/pod/environment/downward_api.h"
#include "kubelet/pod/volumes/content/ownership.h"

namespace proa::kubelet {
namespace sources {

// The API fills in defaultMode; this is what it fills in.
constexpr int64_t kDefaultMode = 0644;
constexpr int64_t kDefaultTokenSeconds = 3600;

mode_t mode_of(api::View item, mode_t fallback) {
  return item["mode"] ? static_cast<mode_t>(item["mode"].integer()) & 0777 : fallback;
}

mode_t default_mode(api::View source) {
  return static_cast<mode_t>(source["defaultMode"].integer(kDefaultMode)) & 0777;
}

struct ObjectKind {
  std::string_view resource = {};  // as the API names it
  std::string_view noun = {};      // as upstream's failures do
  std::string_view missing_key = {};
  std::string_view plain = {};    // the member with plain text; empty for none
  std::string_view encoded = {};  // the member with base64
};
constexpr ObjectKind kConfigMap{.resource = "configmaps",
                                .noun = "configmap",
                                .missing_key = "configmap references non-existent config key: ",
                                .plain = "data",
                                .encoded = "binaryData"};
constexpr ObjectKind kSecret{.resource = "secrets",
                             .noun = "secret",
                             .missing_key = "references non-existent secret key: ",
                             .plain = {},
                             .encoded = "data"};

// The data of a config map or secret by key.
Result<std::map<std::string, std::string, std::less<>>> read_data(const ObjectKind& kind,
                                                                  const api::Object& object) {
  const json::Document document = TRY(object.document());
  const api::View root(document.root());
  std::map<std::string, std::string, std::less<>> data;
  for (const json::Member& member : root[kind.encoded].members()) {
    std::optional<std::string> bytes = from_base64(api::View(member.value).text());
    if (!bytes) {
      return Status(Reason::kInternalError,
                    fmt::format("illegal base64 data in key {}", member.key));
    }
    data.emplace(member.key, std::move(*bytes));
  }
  if (kind.plain.empty()) return data;
  for (const json::Member& member : root[kind.plain].members()) {
    data.insert_or_assign(std::string(member.key), std::string(api::View(member.value).text()));
  }
  return data;
}

Result<Payload> object_content(const ContentInputs& inputs, const ObjectKind& kind,
                               std::string_view name, api::View source, mode_t mode) {
  const bool optional = source["optional"].flag();
  const Result<api::ObjectPtr> object =
      inputs.objects.get("", kind.resource, inputs.pod.name_space(), name);
  std::map<std::string, std::string, std::less<>> data;
  if (object.ok()) {
    data = TRY(read_data(kind, **object));
  } else if (!object.is(Reason::kNotFound)) {
    return object.status();
  } else if (!optional) {
    return Status(Reason::kNotFound, fmt::format("{} \"{}\" not found", kind.noun, name));
  }

  Payload payload;
  if (source["items"].empty()) {
    for (auto& [key, value] : data) {
      payload[key] = ContentFile{.data = std::move(value), .mode = mode, .owner = {}};
    }
    return payload;
  }
  for (const api::View item : source["items"].items()) {
    const auto found = data.find(item["key"].text());
    if (found == data.end()) {
      if (optional) continue;
      return Status(Reason::kNotFound, fmt::format("{}{}", kind.missing_key, item["key"].text()));
    }
    payload[std::string(item["path"].text())] =
        ContentFile{.data = found->second, .mode = mode_of(item, mode), .owner = {}};
  }
  return payload;
}

Result<Payload> downward_files(const ContentInputs& inputs, api::View items, mode_t mode) {
  Payload payload;
  std::vector<Status> failures;
  for (const api::View item : items.items()) {
    Result<std::string> value = std::string();
    if (item["fieldRef"]) {
      value = field_value(inputs.pod, inputs.facts, item["fieldRef"]["fieldPath"].text());
    } else if (item["resourceFieldRef"]) {
      value = resource_value(inputs.pod, inputs.facts, api::View(), item["resourceFieldRef"]);
    }
    if (!value.ok()) {
      failures.push_back(value.status());
      continue;
    }
    payload[std::string(item["path"].text())] =
        ContentFile{.data = std::move(*value), .mode = mode_of(item, mode), .owner = {}};
  }
  if (!failures.empty()) return all_failures(failures);
  return payload;
}

// Tokens are for the pod's user alone, where there is one; a group of its volumes gets to read them
// later, as it gets everything.
ContentFile private_file(const Pod& pod, std::string data, mode_t mode) {
  const std::optional<uid_t> user = user_of_volumes(pod);
  const bool narrow = user || group_of_volumes(pod);
  return {.data = std::move(data), .mode = narrow ? mode_t{0600} : mode, .owner = user};
}

Result<Payload> one_projection(const ContentInputs& inputs, api::View source, mode_t mode) {
  if (const api::View secret = source["secret"]) {
    return object_content(inputs, kSecret, secret["name"].text(), secret, mode);
  }
  if (const api::View config_map = source["configMap"]) {
    return object_content(inputs, kConfigMap, config_map["name"].text(), config_map, mode);
  }
  if (const api::View downward = source["downwardAPI"]) {
    return downward_files(inputs, downward["items"], mode);
  }
  Payload payload;
  if (const api::View token = source["serviceAccountToken"]) {
    std::string text =
        TRY(inputs.tokens.get(inputs.pod, std::string(token["audience"].text()),
                              token["expirationSeconds"].integer(kDefaultTokenSeconds)));
    payload[std::string(token["path"].text())] = private_file(inputs.pod, std::move(text), mode);
  } else if (const api::View bundle = source["clusterTrustBundle"]) {
    std::string text = TRY(trust_anchors(bundle, inputs.objects, inputs.trust_bundles));
    payload[std::string(bundle["path"].text())] = private_file(inputs.pod, std::move(text), mode);
  } else if (source["podCertificate"]) {
    return Status(Reason::kServiceUnavailable,
                  "PodCertificate projection is not supported by this node");
  }
  return payload;
}

}  // namespace sources

Result<Payload> config_map_content(const ContentInputs& inputs, api::View source) {
  return sources::object_content(inputs, sources::kConfigMap, source["name"].text(), source,
                                 sources::default_mode(source));
}

Result<Payload> secret_content(const ContentInputs& inputs, api::View source) {
  return sources::object_content(inputs, sources::kSecret, source["secretName"].text(), source,
                                 sources::default_mode(source));
}

Result<Payload> downward_content(const ContentInputs& inputs, api::View source) {
  return sources::downward_files(inputs, source["items"], sources::default_mode(source));
}

Result<Payload> projected_content(const ContentInputs& inputs, api::View source) {
  const mode_t mode = sources::default_mode(source);
  Payload payload;
  std::vector<Status> failures;
  for (const api::View projection : source["sources"].items()) {
    Result<Payload> files = sources::one_projection(inputs, projection, mode);
    if (!files.ok()) {
      failures.push_back(files.status());
      continue;
    }
    for (auto& [path, file] : *files) payload.insert_or_assign(path, std::move(file));
  }
  if (!failures.empty()) return all_failures(failures);
  return payload;
}

}  // namespace proa::kubelet
