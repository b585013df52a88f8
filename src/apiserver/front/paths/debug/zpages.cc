#include "apiserver/front/paths/debug/zpages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "api/object/view.h"
#include "apiserver/front/paths/pretty.h"
#include "apiserver/representation/media.h"
#include "apiserver/representation/status.h"
#include "apiserver/representation/yaml.h"
#include "base/metrics/metrics.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace zpages {

constexpr std::string_view kComponent = "apiserver";
constexpr std::string_view kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";
constexpr std::string_view kGroup = "config.k8s.io";
// Upstream draws one of several separators, so that nobody parses the text.
constexpr std::string_view kSeparator = "=";
constexpr std::string_view kStatusSeparator = ":";
// First parts of paths besides those of resources and documents.
constexpr std::array<std::string_view, 7> kPaths = {"/flagz",  "/healthz", "/livez",  "/metrics",
                                                    "/readyz", "/statusz", "/version"};

// What is sent: text, or an object of a version in JSON or YAML.
struct Choice {
  Encoding encoding = Encoding::kJson;
  std::string_view version;  // empty: text
};

bool matches(std::string_view offered, std::string_view type) {
  if (offered == "*/*" || equals_ignoring_case(offered, type)) return true;
  const auto family = split_once(type, '/');
  return equals_ignoring_case(offered, std::string(family->before) + "/*");
}

// As upstream's NegotiateMediaTypeOptions with the restrictions of these pages: JSON and YAML only
// of a named kind, text only without one.
std::optional<Choice> choose(std::string_view accept, std::string_view kind) {
  for (const AcceptOffer& offer : accept_offers(accept)) {
    const bool names_kind = !offer.as.empty() || !offer.group.empty() || !offer.version.empty();
    const bool known = offer.as == kind && offer.group == kGroup &&
                       (offer.version == "v1beta1" || offer.version == "v1alpha1");
    if (known && matches(offer.type, "application/json"))
      return Choice{Encoding::kJson, offer.version};
    if (known && matches(offer.type, "application/yaml"))
      return Choice{Encoding::kYaml, offer.version};
    if (!names_kind && matches(offer.type, "text/plain")) return Choice{};
  }
  return std::nullopt;
}

// Upstream leaves the parameters out, without which JSON and YAML are not acceptable either.
Status not_acceptable(std::string_view kind) {
  const std::string parameters = ";g=" + std::string(kGroup) + ";v=v1beta1;as=" + std::string(kind);
  return {Reason::kNotAcceptable, "only the following media types are accepted: application/json" +
                                      parameters + ", application/yaml" + parameters +
                                      ", text/plain"};
}

// The type of an object names its kind.
std::string content_type(const Choice& choice, std::string_view kind) {
  std::string type = Media{.encoding = choice.encoding}.content_type(false);
  type.append(";g=").append(kGroup).append(";v=").append(choice.version);
  return type.append(";as=").append(kind);
}

http::Response text(std::string page) {
  http::Response response = text_response(200, std::move(page));
  response.headers.remove("x-content-type-options");
  return response;
}

json::Document object_of(std::string_view kind, std::string_view version) {
  json::Document document({}, json::Value::object());
  json::Arena& arena = document.arena();
  const auto text = [&](std::string_view value) { return json::Value::string(arena, value); };
  document.root().set(arena, "kind", text(kind));
  document.root().set(arena, "apiVersion", text(std::string(kGroup) + "/" + std::string(version)));
  json::Value metadata = json::Value::object();
  metadata.set(arena, "name", text(kComponent));
  document.root().set(arena, "metadata", std::move(metadata));
  return document;
}

Time process_start() {
  return Time(std::chrono::seconds(static_cast<int64_t>(std::floor(process_start_seconds()))));
}

// Go's time.UnixDate, in UTC.
std::string unix_date(Time time) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S UTC %Y", &parts);
  return {text.data(), size};
}

int64_t seconds_since(Time begin, Time now) {
  return std::max<int64_t>(0,
                           std::chrono::duration_cast<std::chrono::seconds>(now - begin).count());
}

std::string two_digits(int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string header(std::string_view page) {
  return "\n" + std::string(kComponent) + " " + std::string(page) + "\n" + std::string(kWarning);
}

}  // namespace zpages

struct ZPages::Page {
  std::string_view path;
  std::string_view kind;
  std::string_view warning;  // of the old version
  std::string (ZPages::*text)() const;
  std::string (ZPages::*json)(std::string_view version) const;
};

ZPages::ZPages(std::string_view version_document, Flags flags, const Clock& clock)
    : flags_(std::move(flags)), clock_(clock), started_(zpages::process_start()) {
  const Result<json::Document> version = json::parse(version_document);
  if (!version) return;
  const api::View view = version->root();
  go_version_ = view["goVersion"].text();
  binary_version_ = view["gitVersion"].text();
  if (binary_version_.starts_with('v')) binary_version_.erase(0, 1);
  emulation_version_ = std::string(view["major"].text()) + "." + std::string(view["minor"].text());
}

std::optional<http::Response> ZPages::answer(const http::RequestHead& head,
                                             const http::Target& target) {
  static constexpr Page kPages[] = {
      {"/statusz", "Statusz",
       "299 - \"This version of the statusz endpoint is deprecated. Please use a newer version.\"",
       &ZPages::status_text, &ZPages::status_json},
      {"/flagz", "Flagz",
       "299 - \"This version of the flagz endpoint is deprecated. Please use a newer version.\"",
       &ZPages::flags_text, &ZPages::flags_json}};
  const std::string path = sent_path_of(target);
  const Page* page = std::ranges::find(kPages, path, &Page::path);
  if (page == std::end(kPages)) return std::nullopt;
  const std::string_view accept = head.headers.get("accept");
  if (trim(accept).empty()) return zpages::text((this->*page->text)());
  const std::optional<zpages::Choice> choice = zpages::choose(accept, page->kind);
  if (!choice) return status_response(zpages::not_acceptable(page->kind));
  if (choice->version.empty()) return zpages::text((this->*page->text)());
  http::Response response = json_response(200, Bytes((this->*page->json)(choice->version) + "\n"));
  response.headers.set("content-type", zpages::content_type(*choice, page->kind));
  if (choice->encoding == Encoding::kYaml) {
    response.body = as_yaml(std::move(response.body));
  } else if (wants_pretty(head, target)) {
    make_pretty(response);
  }
  if (choice->version != "v1beta1") response.headers.add("warning", page->warning);
  return response;
}

std::string ZPages::status_text() const {
  const int64_t up = zpages::seconds_since(started_, clock_.now());
  std::string text = zpages::header("statusz") + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    text += std::string(name) + std::string(zpages::kStatusSeparator) + " " + value + "\n";
  };
  line("Started", zpages::unix_date(started_));
  line("Up", std::to_string(up / 3600) + " hr " + zpages::two_digits(up / 60 % 60) + " min " +
                 zpages::two_digits(up % 60) + " sec");
  line("Go version", go_version_);
  line("Binary version", binary_version_);
  line("Emulation version", emulation_version_);
  line("Paths", join(zpages::kPaths, " "));
  return text;
}

std::string ZPages::status_json(std::string_view version) const {
  json::Document document = zpages::object_of("Statusz", version);
  json::Arena& arena = document.arena();
  const auto text = [&](std::string_view value) { return json::Value::string(arena, value); };
  json::Value& root = document.root();
  root.set(arena, "startTime", text(format_time(started_)));
  root.set(arena, "uptimeSeconds",
           json::Value::integer(zpages::seconds_since(started_, clock_.now())));
  root.set(arena, "goVersion", text(go_version_));
  root.set(arena, "binaryVersion", text(binary_version_));
  root.set(arena, "emulationVersion", text(emulation_version_));
  json::Value paths = json::Value::array();
  for (const std::string_view path : zpages::kPaths) paths.push_back(arena, text(path));
  root.set(arena, "paths", std::move(paths));
  return json::print(root);
}

std::string ZPages::flags_text() const {
  std::string text = zpages::header("flagz");
  for (const auto& [name, value] : flags_) {
    text += name;
    text += zpages::kSeparator;
    text += value + "\n";
  }
  return text;
}

std::string ZPages::flags_json(std::string_view version) const {
  json::Document document = zpages::object_of("Flagz", version);
  json::Arena& arena = document.arena();
  json::Value flags = json::Value::object();
  for (const auto& [name, value] : flags_)
    flags.set(arena, name, json::Value::string(arena, value));
  document.root().set(arena, "flags", std::move(flags));
  return json::print(document.root());
}

}  // namespace proa::apiserver
