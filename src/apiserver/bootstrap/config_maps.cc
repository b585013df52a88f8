#include "apiserver/bootstrap/config_maps.h"

#include <algorithm>
#include <string>

#include "crypto/certificate.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace config_maps {

using api::Edit;
using api::View;
using Texts = std::vector<std::string>;

constexpr std::string_view kClientAuthorities = "client-ca-file";
constexpr std::string_view kProxyAuthorities = "requestheader-client-ca-file";
constexpr std::string_view kSince = "since";
// Clocks differ: an authority counts for a while after it expired.
constexpr Duration kLeeway = std::chrono::minutes(5);

json::Document named(std::string_view name) {
  json::Document document({}, json::Value::object());
  const Edit metadata = Edit(document).object("metadata");
  metadata.set("name", name);
  metadata.set("namespace", "kube-system");
  return document;
}

const api::Resource& resource(const api::Schema& schema) {
  return *schema.find_resource("", "v1", "configmaps");
}

// "x-remote-user" as it is usually written: X-Remote-User.
std::string header_case(std::string name) {
  bool first = true;
  for (char& c : name) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == '-';
  }
  return name;
}

Texts header_cases(const Texts& names) {
  Texts cased;
  for (const std::string& name : names) cased.push_back(header_case(name));
  return cased;
}

void add_once(Texts& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

// A JSON list of texts: those that are stored, then ours. Anything else counts as empty.
std::string join_lists(std::string_view stored, const Texts& ours) {
  Texts all;
  const Result<json::Document> parsed = json::parse(stored);
  if (parsed) {
    for (const View item : View(parsed->root()).items()) add_once(all, std::string(item.text()));
  }
  for (const std::string& text : ours) add_once(all, text);
  json::Document list({}, json::Value::array());
  for (const std::string& text : all) {
    list.root().push_back(list.arena(), json::Value::string(list.arena(), text));
  }
  return json::print(list.root());
}

std::string join_certificates(std::string_view stored, std::string_view ours, Time now) {
  Texts all;
  for (const std::string_view text : {stored, ours}) {
    for (const crypto::Certificate& one : crypto::Certificate::parse_all(text)) {
      if (one.not_after() > now - kLeeway) add_once(all, one.pem());
    }
  }
  std::string joined;
  for (const std::string& one : all) joined += one;
  return joined;
}

// Null if this server knows no proxy.
const FrontProxyOptions* proxy_of(const AuthenticationOptions& options) {
  const auto& proxy = options.front_proxy;
  return proxy && !proxy->authorities_pem.empty() ? &*proxy : nullptr;
}

void join_proxy(Edit data, const FrontProxyOptions& proxy) {
  const auto join = [&](std::string_view name, const Texts& ours) {
    data.set(name, join_lists(data[name].text(), ours));
  };
  join("requestheader-username-headers", header_cases(proxy.user_headers));
  if (!proxy.uid_headers.empty() || data["requestheader-uid-headers"]) {
    join("requestheader-uid-headers", header_cases(proxy.uid_headers));
  }
  join("requestheader-group-headers", header_cases(proxy.group_headers));
  join("requestheader-extra-headers-prefix", header_cases(proxy.extra_prefixes));
  join("requestheader-allowed-names", proxy.allowed_names);
}

void join_authentication(Edit object, const AuthenticationOptions& options, Time now) {
  const Edit data = object.object("data");
  const FrontProxyOptions* proxy = proxy_of(options);
  const auto join = [&](std::string_view name, std::string_view ours) {
    const std::string joined = join_certificates(data[name].text(), ours, now);
    if (joined.empty()) return data.remove(name);
    data.set(name, joined);
  };
  join(kClientAuthorities, options.client_authorities_pem);
  join(kProxyAuthorities, proxy == nullptr ? std::string_view() : proxy->authorities_pem);
  if (data[kProxyAuthorities]) join_proxy(data, proxy == nullptr ? FrontProxyOptions{} : *proxy);
  if (data.view().empty()) object.remove("data");
}

bool is_date(std::string_view text) {
  return text.size() == 10 && parse_time(std::string(text) + "T00:00:00Z").ok();
}

}  // namespace config_maps

void add_authentication_config(const api::Schema& schema, const AuthenticationOptions& options,
                               const Clock& clock, std::vector<Wanted>& objects) {
  json::Document document = config_maps::named("extension-apiserver-authentication");
  config_maps::join_authentication(api::Edit(document), options, clock.now());
  objects.push_back({.resource = config_maps::resource(schema),
                     .document = std::move(document),
                     .revise = [options, &clock](api::Edit stored, api::View) {
                       config_maps::join_authentication(stored, options, clock.now());
                     }});
}

void add_token_tracking(const api::Schema& schema, Time now, std::vector<Wanted>& objects) {
  json::Document document =
      config_maps::named("kube-apiserver-legacy-service-account-token-tracking");
  const std::string today = format_time(now).substr(0, 10);
  api::Edit(document).object("data").set(config_maps::kSince, today);
  objects.push_back({.resource = config_maps::resource(schema),
                     .document = std::move(document),
                     .revise = [today](api::Edit stored, api::View) {
                       const api::Edit data = stored.object("data");
                       if (config_maps::is_date(data[config_maps::kSince].text())) return;
                       data.set(config_maps::kSince, today);
                     }});
}

}  // namespace proa::apiserver
