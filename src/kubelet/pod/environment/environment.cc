#include "kubelet/pod/environment/environment.h"

#include <fmt/format.h>

#include <unordered_map>

#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/log.h"
#include "kubelet/pod/environment/service_variables.h"
#include "kubelet/pod/environment/variable_file.h"

namespace proa::kubelet {
namespace environment {

const Log kLog{"kubelet"};

// Variables may contain each other, each twice the one before. The kernel gives a program neither a
// longer text nor so many of them; runtimes take no longer request.
constexpr size_t kMaxText = size_t{1} << 20;
constexpr size_t kMaxAll = size_t{16} << 20;

// Null when there is none.
using Find = std::function<const std::string*(std::string_view name)>;

std::string expand(std::string_view text, const Find& find) {
  std::string out;
  size_t at = 0;
  while (true) {
    const size_t dollar = text.find('$', at);
    if (dollar == std::string_view::npos || dollar + 1 == text.size()) break;
    out += text.substr(at, dollar - at);
    at = dollar + 2;
    const char next = text[dollar + 1];
    if (next == '$') {
      out += '$';
      continue;
    }
    const size_t close = next == '(' ? text.find(')', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text.substr(dollar, 2);
      continue;
    }
    const std::string* value = find(text.substr(at, close - at));
    if (value != nullptr && out.size() + value->size() <= kMaxText) {
      out += *value;
    } else {
      out += text.substr(dollar, close + 1 - dollar);
    }
    at = close + 1;
  }
  out += text.substr(at);
  return out;
}

// Variables in the order in which their names came first; the last value of a name counts.
class Table {
 public:
  Result<void> set(std::string_view name, std::string value) {
    size_ += name.size() + value.size();
    if (size_ > kMaxAll) return Status(Reason::kBadRequest, "environment is too large");
    const auto [place, added] = index_.try_emplace(std::string(name), variables_.size());
    if (added) {
      variables_.push_back({std::string(name), std::move(value)});
    } else {
      variables_[place->second].value = std::move(value);
    }
    return {};
  }
  const std::string* find(std::string_view name) const {
    const auto found = index_.find(std::string(name));
    return found == index_.end() ? nullptr : &variables_[found->second].value;
  }
  Environment& variables() { return variables_; }

 private:
  Environment variables_;
  std::unordered_map<std::string, size_t> index_;
  size_t size_ = 0;
};

// A config map or a secret, read once for all variables that refer to it.
struct Source {
  std::string_view resource;  // "configmaps"
  std::string_view word;      // in messages: "configmap"
  std::string_view kind;      // "ConfigMap"
};
constexpr Source kConfigMap{"configmaps", "configmap", "ConfigMap"};
constexpr Source kSecret{"secrets", "secret", "Secret"};

class Maker {
 public:
  explicit Maker(const EnvironmentInputs& inputs) : inputs_(inputs) {}

  Result<Environment> make();

 private:
  Result<void> read_services();
  Result<void> add_sources();
  Result<void> add_own();
  // Null when it is not there and need not be.
  Result<const json::Document*> data_of(const Source& source, api::View reference);
  Result<void> add_from(const Source& source, api::View reference, std::string_view prefix);
  // Nothing: the variable is left out.
  Result<std::optional<std::string>> value_from(api::View from);
  Result<std::optional<std::string>> key_of(const Source& source, api::View reference);
  Result<std::optional<std::string>> of_file(api::View reference);

  const EnvironmentInputs& inputs_;
  Table services_;  // only if no variable of that name is set
  Table table_;
  std::map<std::string, json::Document, std::less<>> config_maps_;
  std::map<std::string, json::Document, std::less<>> secrets_;
};

Result<const json::Document*> Maker::data_of(const Source& source, api::View reference) {
  auto& known = &source == &kConfigMap ? config_maps_ : secrets_;
  const std::string_view name = reference["name"].text();
  if (const auto found = known.find(name); found != known.end()) return &found->second;
  const Result<api::ObjectPtr> object =
      inputs_.objects.get("", source.resource, inputs_.pod.name_space(), name);
  if (object.is(Reason::kNotFound)) {
    if (reference["optional"].flag()) return nullptr;
    return Status(Reason::kNotFound,
                  fmt::format("{} {} not found", source.word, api::quoted(name)));
  }
  const api::ObjectPtr there = TRY(object);
  json::Document document = TRY(there->document());
  return &known.emplace(std::string(name), std::move(document)).first->second;
}

// Secrets have their values in base64.
std::string decode(const Source& source, const json::Value& value) {
  const std::string_view text = api::View(value).text();
  if (&source == &kConfigMap) return std::string(text);
  return from_base64(text).value_or(std::string());
}

Result<void> Maker::add_from(const Source& source, api::View reference, std::string_view prefix) {
  const json::Document* document = TRY(data_of(source, reference));
  if (document == nullptr) return {};
  for (const json::Member& member : api::View(document->root())["data"].members()) {
    TRY(table_.set(std::string(prefix) + std::string(member.key), decode(source, member.value)));
  }
  return {};
}

Result<std::optional<std::string>> Maker::key_of(const Source& source, api::View reference) {
  const json::Document* document = TRY(data_of(source, reference));
  if (document == nullptr) return std::optional<std::string>();
  const std::string_view key = reference["key"].text();
  const api::View value = api::View(document->root())["data"][key];
  if (value.value() != nullptr) return std::optional(decode(source, *value.value()));
  if (reference["optional"].flag()) return std::optional<std::string>();
  return Status(Reason::kNotFound, fmt::format("couldn't find key {} in {} {}/{}", key, source.kind,
                                               inputs_.pod.name_space(), reference["name"].text()));
}

Result<std::optional<std::string>> Maker::of_file(api::View reference) {
  const std::string_view volume = reference["volumeName"].text();
  const auto* paths = inputs_.volume_paths;
  if (paths == nullptr || !paths->contains(volume)) {
    return Status(
        Reason::kNotFound,
        fmt::format("cannot find the volume {} referenced by FileKeyRef", api::quoted(volume)));
  }
  const std::string& root = paths->find(volume)->second;
  const std::string path(reference["path"].text());
  const std::string_view key = reference["key"].text();
  const Result<std::string> text = read_variable_file(root, path);
  const Result<std::string> value = text ? find_in_variable_file(*text, key) : text;
  if (!value) {
    kLog.warn("failed to parse env file",
              {{"pod", inputs_.pod.key().str()}, {"error", value.status()}});
    return Status(Reason::kBadRequest, "couldn't parse env file");
  }
  if (!value->empty()) return std::optional(*value);
  if (reference["optional"].flag()) return std::optional<std::string>();
  return Status(Reason::kNotFound, fmt::format("environment variable key {} not found in file {}",
                                               api::quoted(key), api::quoted(root + "/" + path)));
}

Result<std::optional<std::string>> Maker::value_from(api::View from) {
  if (const api::View field = from["fieldRef"]) {
    if (const std::string_view version = field["apiVersion"].text("v1"); version != "v1") {
      return Status(Reason::kBadRequest, fmt::format("unsupported pod version: {}", version));
    }
    std::string value = TRY(field_value(inputs_.pod, inputs_.facts, field["fieldPath"].text()));
    return std::optional(std::move(value));
  }
  if (const api::View resource = from["resourceFieldRef"]) {
    std::string value =
        TRY(resource_value(inputs_.pod, inputs_.facts, inputs_.container, resource));
    return std::optional(std::move(value));
  }
  if (const api::View reference = from["configMapKeyRef"]) return key_of(kConfigMap, reference);
  if (const api::View reference = from["secretKeyRef"]) return key_of(kSecret, reference);
  if (const api::View reference = from["fileKeyRef"]) return of_file(reference);
  return std::optional(std::string());
}

Result<void> Maker::read_services() {
  const Pod& pod = inputs_.pod;
  if (!pod.is_static() && !inputs_.services_known) {
    return Status(Reason::kServiceUnavailable,
                  "services have not yet been read at least once, cannot construct envvars");
  }
  if (!inputs_.services) return {};
  const bool links = pod.spec()["enableServiceLinks"].flag(true);
  for (Variable& variable :
       service_variables(inputs_.services(pod.name_space()), pod.name_space(), links)) {
    TRY(services_.set(variable.name, std::move(variable.value)));
  }
  return {};
}

Result<void> Maker::add_sources() {
  for (const api::View from : inputs_.container["envFrom"].items()) {
    const std::string_view prefix = from["prefix"].text();
    if (const api::View map = from["configMapRef"]) {
      TRY(add_from(kConfigMap, map, prefix));
    } else if (const api::View secret = from["secretRef"]) {
      TRY(add_from(kSecret, secret, prefix));
    }
  }
  return {};
}

Result<void> Maker::add_own() {
  const Find find = [this](std::string_view name) {
    const std::string* own = table_.find(name);
    return own != nullptr ? own : services_.find(name);
  };
  for (const api::View variable : inputs_.container["env"].items()) {
    const std::string_view name = variable["name"].text();
    if (const std::string_view text = variable["value"].text(); !text.empty()) {
      TRY(table_.set(name, expand(text, find)));
      continue;
    }
    std::optional<std::string> value = TRY(value_from(variable["valueFrom"]));
    if (value) TRY(table_.set(name, std::move(*value)));
  }
  return {};
}

Result<Environment> Maker::make() {
  TRY(read_services());
  TRY(add_sources());
  TRY(add_own());
  for (Variable& variable : services_.variables()) {
    if (table_.find(variable.name) != nullptr) continue;
    TRY(table_.set(variable.name, std::move(variable.value)));
  }
  return std::move(table_.variables());
}

}  // namespace environment

Result<Environment> make_environment(const EnvironmentInputs& inputs) {
  return environment::Maker(inputs).make();
}

std::string expand(std::string_view text, const Environment& environment) {
  if (text.find("$(") == std::string_view::npos) return environment::expand(text, {});
  std::unordered_map<std::string_view, const std::string*> values;
  for (const Variable& variable : environment) values[variable.name] = &variable.value;
  return environment::expand(text, [&values](std::string_view name) -> const std::string* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
  });
}

}  // namespace proa::kubelet
