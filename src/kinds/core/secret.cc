#include "kinds/core/secret.h"

#include <string>

#include "base/encoding.h"
#include "json/parse.h"
#include "kinds/checks/data.h"

namespace proa::kinds {

namespace secret {

constexpr std::string_view kFrozen[] = {"data"};

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"}, {.name = "Type"}, {.name = "Data"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["type"].text());
  cells.number(static_cast<int64_t>(object["data"].size()));
  cells.age(object["metadata"]["creationTimestamp"]);
}

// The required keys of a secret type.
struct TypeRule {
  std::string_view type;
  std::string_view keys[2];
  enum class Need : uint8_t { kAll, kAnyOne, kNotEmpty, kJsonObject } need;
};

constexpr TypeRule kTypeRules[] = {
    {"kubernetes.io/dockercfg", {".dockercfg"}, TypeRule::Need::kJsonObject},
    {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}, TypeRule::Need::kJsonObject},
    {"kubernetes.io/basic-auth", {"username", "password"}, TypeRule::Need::kAnyOne},
    {"kubernetes.io/ssh-auth", {"ssh-privatekey"}, TypeRule::Need::kNotEmpty},
    {"kubernetes.io/tls", {"tls.crt", "tls.key"}, TypeRule::Need::kAll},
};

void validate_json_object(View value, const api::Path& path, api::FieldErrors& errors) {
  Budget budget;
  const auto parsed = json::parse(from_base64(value.text()).value_or(""), {.budget = &budget});
  if (parsed.ok() && (parsed->root().is(json::Kind::kObject) || parsed->root().is_null())) return;
  errors.invalid(path, "<secret contents redacted>",
                 parsed.ok() ? "must be a JSON object" : parsed.status().message());
}

void require_key(View data, std::string_view key, const api::Path& path, api::FieldErrors& errors) {
  if (!key.empty() && !data[key].exists()) errors.required(path.key(key));
}

void validate_type(View data, const TypeRule& rule, const api::Path& path,
                   api::FieldErrors& errors) {
  using Need = TypeRule::Need;
  const View first = data[rule.keys[0]];
  const api::Path first_path = path.key(rule.keys[0]);
  switch (rule.need) {
    case Need::kAnyOne:
      if (first.exists() || data[rule.keys[1]].exists()) return;
      [[fallthrough]];
    case Need::kAll:
      for (const std::string_view key : rule.keys) require_key(data, key, path, errors);
      return;
    case Need::kNotEmpty:
      if (first.text().empty()) errors.required(first_path);
      return;
    case Need::kJsonObject:
      if (!first.exists()) return errors.required(first_path);
      return validate_json_object(first, first_path, errors);
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("data");
  const View data = object["data"];
  size_t size = 0;
  for (const json::Member& member : data.members()) {
    errors.invalid_each(path.key(member.key), member.key, api::check_config_map_key(member.key));
    size += size_of_base64(View(member.value).text());
  }
  if (size > kMaxDataSize) errors.too_long(path, kMaxDataSize);

  constexpr std::string_view kAccountName = "kubernetes.io/service-account.name";
  const std::string_view type = object["type"].text();
  if (type == "kubernetes.io/service-account-token" &&
      object.at("metadata.annotations")[kAccountName].text().empty()) {
    const api::Path annotations("metadata.annotations");
    errors.required(annotations.key(kAccountName));
  }
  for (const TypeRule& rule : kTypeRules) {
    if (rule.type == type) validate_type(data, rule, path, errors);
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  if (object["type"] != old["type"]) {
    errors.invalid(api::Path("type"), object["type"], "field is immutable");
  }
  validate_frozen_fields(object, old, kFrozen, errors);
}

bool holds_pem(View value) {
  const auto bytes = from_base64(value.text());
  return bytes && bytes->find("-----BEGIN ") != std::string::npos;
}

// Only looks for PEM blocks: whether certificate and key match is not checked.
void warn(View object, View, Warnings& warnings) {
  if (object["type"].text() != "kubernetes.io/tls") return;
  if (!holds_pem(object["data"]["tls.crt"])) {
    warnings.emplace_back("tls: failed to find any PEM data in certificate input");
  } else if (!holds_pem(object["data"]["tls.key"])) {
    warnings.emplace_back("tls: failed to find any PEM data in key input");
  }
}

void default_secret(api::Edit secret) {
  if (!secret["stringData"].empty()) {
    const api::Edit data = secret.object("data");
    for (const json::Member& member : secret["stringData"].members()) {
      data.set(member.key, to_base64(View(member.value).text()));
    }
  }
  secret.remove("stringData");
}

constexpr TypeDefaults kDefaults[] = {{"v1/Secret", default_secret}};

}  // namespace secret

KindRules secret_rules() {
  return {.kind = "v1/Secret",
          .metadata = {.update = "UM"},
          .defaults = secret::kDefaults,
          .validate = secret::validate,
          .validate_update = secret::validate_update,
          .update_comes_first = true,
          .warn = secret::warn,
          .columns = secret::kColumns,
          .row = secret::row};
}

}  // namespace proa::kinds
