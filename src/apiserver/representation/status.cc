#include "apiserver/representation/status.h"

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/envelope.h"
#include "api/schema/builtin.h"
#include "apiserver/representation/media.h"
#include "apiserver/representation/yaml.h"
#include "base/check.h"
#include "json/print.h"

namespace proa::apiserver {
namespace status {

void add(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (out.back() != '{') out += ',';
  out.append("\"").append(name).append("\":");
  json::print_string_to(out, value);
}

void add_causes(std::string& out, const std::vector<StatusCause>& causes) {
  if (causes.empty()) return;
  if (out.back() != '{') out += ',';
  out += "\"causes\":[";
  for (const StatusCause& cause : causes) {
    if (out.back() != '[') out += ',';
    out += '{';
    add(out, "reason", cause.reason);
    add(out, "message", cause.message);
    add(out, "field", cause.field);
    out += '}';
  }
  out += ']';
}

void add_details(std::string& out, const StatusDetails& details) {
  out += ",\"details\":{";
  add(out, "name", details.name);
  add(out, "group", details.group);
  add(out, "kind", details.kind);
  add(out, "uid", details.uid);
  add_causes(out, details.causes);
  if (details.retry_after_seconds > 0) {
    if (out.back() != '{') out += ',';
    out += "\"retryAfterSeconds\":" + std::to_string(details.retry_after_seconds);
  }
  out += '}';
}

constexpr std::string_view kHead = R"({"kind":"Status","apiVersion":"v1","metadata":{)";

}  // namespace status

std::string status_json(const Status& failure) {
  std::string out(status::kHead);
  status::add(out, "continue", failure.details().continue_token);
  out += R"(},"status":"Failure")";
  status::add(out, "message", failure.message());
  status::add(out, "reason", reason_name(failure.reason()));
  StatusDetails details = failure.details();
  details.continue_token.clear();
  if (!(details == StatusDetails{})) status::add_details(out, details);
  out += ",\"code\":" + std::to_string(failure.code()) + "}\n";
  return out;
}

std::string success_json(const StatusDetails& details) {
  std::string out(status::kHead);
  out += R"(},"status":"Success")";
  status::add_details(out, details);
  out += "}\n";
  return out;
}

http::Response json_response(int code, Bytes body) {
  http::Response response;
  response.status = code;
  response.headers.add("content-type", "application/json");
  response.headers.add("cache-control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

http::Response status_response(const Status& failure) {
  http::Response response = json_response(failure.code(), Bytes(status_json(failure)));
  const int retry = failure.details().retry_after_seconds;
  if (retry > 0) response.headers.add("retry-after", std::to_string(retry));
  return response;
}

http::Response status_response(const Status& failure, std::string_view accept) {
  http::Response response = status_response(failure);
  const Media media{.encoding = choose_failure_encoding(accept)};
  if (media.encoding == Encoding::kJson) return response;
  response.body = media.encoding == Encoding::kYaml ? as_yaml(std::move(response.body))
                                                    : Bytes(status_protobuf(response.body.view()));
  response.headers.set("content-type", media.content_type(false));
  return response;
}

http::Response too_many_requests_response() {
  return {.status = 429,
          .headers = {{"cache-control", "no-cache, private"},
                      {"content-type", "text/plain; charset=utf-8"},
                      {"retry-after", "1"},
                      {"x-content-type-options", "nosniff"}},
          .body = Bytes::of_static("Too many requests, please try again later.\n"),
          .trailers = {}};
}

std::string status_protobuf(std::string_view json) {
  static const api::Type& type = *api::builtin_schema().find_kind("v1", "Status");
  const Result<api::Decoded> decoded = api::decode_json(json, type, api::FieldValidation::kIgnore);
  CHECK(decoded.ok());
  Result<std::string> message = api::to_enveloped(decoded->document.root(), type);
  CHECK(message.ok());
  return std::move(*message);
}

}  // namespace proa::apiserver
