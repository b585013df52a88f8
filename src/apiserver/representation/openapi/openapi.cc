#include "apiserver/representation/openapi/openapi.h"

#include <ctime>

#include "apiserver/representation/openapi/accept.h"
#include "apiserver/representation/openapi/json_text.h"
#include "apiserver/representation/openapi/version3.h"
#include "base/check.h"
#include "base/encoding.h"
#include "crypto/digest.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

namespace openapi {

constexpr std::string_view kJson = "application/json";
// Old clients use an @, which is not a valid media type; responses never do.
constexpr std::string_view kOldProtobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view kVersion2Media[] = {kJson, kOldProtobuf, kProtobuf};
constexpr std::string_view kVersion3Media[] = {kJson};

constexpr std::string_view kVersion3Path = "/openapi/v3";
constexpr std::string_view kVersion2Name = "v2";

// As upstream's ETags.
std::string hash(std::string_view text) { return to_upper_hex(crypto::sha512(text).view()); }

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string url_of(std::string_view name, std::string_view hash) {
  std::string url(kVersion3Path);
  url.append("/").append(name).append("?hash=").append(hash);
  return url;
}

// What the custom kinds of a section are: another text if one of them has changed.
void add_identity(std::string& out, const Section& section) {
  for (const api::Resource* resource : section.resources) {
    if (!resource->custom) continue;
    const custom::Definition& definition = custom::custom_resource(*resource).definition();
    const api::Metadata& metadata = definition.object()->metadata();
    out.append(metadata.uid).append(" ").append(std::to_string(metadata.generation));
    out.append(" ").append(resource->version).append(" ").append(resource->type->name);
    out.append(" ").append(resource->list->name).append("\n");
  }
}

// One year from now as an HTTP date.
std::string in_a_year(Time now) {
  using std::chrono::seconds;
  constexpr std::time_t kYear = 365 * 24 * 3600;
  const std::time_t then =
      std::chrono::duration_cast<seconds>(now.time_since_epoch()).count() + kYear;
  std::tm parts{};
  gmtime_r(&then, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

OpenApi::Response empty(int code) {
  return {.code = code, .headers = {}, .body = {}, .parts = nullptr};
}

std::string whole(LongDocument& document) {
  std::string text;
  while (document.next(text, SIZE_MAX / 2)) {
  }
  return text;
}

// Whether the client has this version: a list of quoted hashes, or "*".
bool has_already(const OpenApi::Request& request, std::string_view hash) {
  return request.if_none_match == "*" ||
         request.if_none_match.find(quoted(hash)) != std::string_view::npos;
}

}  // namespace openapi

OpenApi::OpenApi(const api::Schema& schema, std::span<const api::Resource* const> resources,
                 std::string version, OpenApi* before)
    : types_(schema), sections_(sections_of(resources)), version_(std::move(version)) {
  if (before == nullptr) return;
  const MutexLock lock(before->mutex_);
  hashes_ = before->hashes_;
}

void OpenApi::add_foreign(const std::string& name, const std::string& url) {
  foreign_.emplace(name, url);
}

OpenApi::Response OpenApi::answer(const Request& request) {
  if (request.path == openapi::kVersion3Path) return answer_index(request);
  if (request.path == "/openapi/v2") return answer_version2(request);
  if (!request.path.starts_with("/openapi/v3/")) return openapi::empty(404);
  const std::string_view name = request.path.substr(openapi::kVersion3Path.size() + 1);
  if (const Section* section = find(name)) {
    return answer_section(request, name, hash_of(*section),
                          [&] { return Bytes(openapi_v3_document(*section, types_, version_)); });
  }
  const auto converted = converted_.find(name);
  if (converted == converted_.end()) return openapi::empty(404);
  const ConvertedSpec& spec = *converted->second;
  return answer_section(request, name, spec.hash, [&] { return spec.text; });
}

OpenApi::Response OpenApi::answer_index(const Request& request) {
  std::string index;
  JsonText out(index);
  out.open('{');
  out.key("paths");
  out.open('{');
  std::map<std::string_view, std::string> urls(foreign_.begin(), foreign_.end());
  for (const auto& [name, spec] : converted_) urls.emplace(name, openapi::url_of(name, spec->hash));
  for (const Section& section : sections_)
    urls.emplace(section.name, openapi::url_of(section.name, hash_of(section)));
  for (const auto& [name, url] : urls) {
    out.key(name);
    out.open('{');
    out.member("serverRelativeURL", url);
    out.close('}');
  }
  out.close('}');
  out.close('}');
  const std::string hash = openapi::hash(index);
  Response response;
  response.headers.emplace_back("Etag", openapi::quoted(hash));
  if (openapi::has_already(request, hash)) {
    response.code = 304;
    return response;
  }
  response.headers.emplace_back("Content-Type", openapi::kJson);
  response.body = Bytes(std::move(index));
  return response;
}

OpenApi::Response OpenApi::answer_section(const Request& request, std::string_view name,
                                          const std::string& hash,
                                          const std::function<Bytes()>& made) {
  const std::string_view media = choose_offered(request.accept, openapi::kVersion3Media);
  Response response;
  response.headers.emplace_back("Vary", "Accept");
  if (media.empty()) {
    response.code = 406;
    return response;
  }
  response.headers.emplace_back("Etag", openapi::quoted(hash));
  if (!request.hash.empty() && request.hash != hash) {
    response.code = 301;
    response.headers.emplace_back("Content-Type", media);
    response.headers.emplace_back("Location", openapi::url_of(name, hash));
    return response;
  }
  if (!request.hash.empty()) {
    response.headers.emplace_back("Cache-Control", "public, immutable");
    response.headers.emplace_back("Expires", openapi::in_a_year(request.now));
  }
  if (openapi::has_already(request, hash)) {
    response.code = 304;
    return response;
  }
  response.headers.emplace_back("Content-Type", media);
  response.body = made();
  return response;
}

OpenApi::Response OpenApi::answer_version2(const Request& request) {
  const std::string_view media = choose_offered(request.accept, openapi::kVersion2Media);
  Response response;
  response.headers.emplace_back("Vary", "Accept");
  if (media.empty()) {
    response.code = 406;
    return response;
  }
  const bool json = media == openapi::kJson;
  const auto document = [this](DocumentEncoding encoding) {
    return openapi_v2_document(sections_, types_, version_, encoding, specs_);
  };
  std::string identity = version_ + "\n";
  const size_t builtin = identity.size();
  for (const Section& section : sections_) openapi::add_identity(identity, section);
  for (const ForeignSpecPtr& spec : specs_) identity.append(spec->hash).append("\n");
  const bool custom = identity.size() > builtin;
  std::string hash = custom ? openapi::hash(identity) : kept_hash(openapi::kVersion2Name);
  if (hash.empty()) {
    hash = openapi::hash(openapi::whole(*document(DocumentEncoding::kJson)));
    keep_hash(openapi::kVersion2Name, hash);
  }
  response.headers.emplace_back("Etag", openapi::quoted(hash));
  if (openapi::has_already(request, hash)) {
    response.code = 304;
    return response;
  }
  response.headers.emplace_back("Content-Type", json ? openapi::kJson : openapi::kProtobuf);
  response.parts = document(json ? DocumentEncoding::kJson : DocumentEncoding::kProtobuf);
  if (!request.in_parts) {
    response.body = Bytes(openapi::whole(*response.parts));
    response.parts = nullptr;
  }
  return response;
}

const Section* OpenApi::find(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::string OpenApi::hash_of(const Section& section) {
  std::string identity = version_ + "\n";
  const size_t builtin = identity.size();
  openapi::add_identity(identity, section);
  if (identity.size() > builtin) return openapi::hash(identity);
  std::string hash = kept_hash(section.name);
  if (!hash.empty()) return hash;
  hash = openapi::hash(openapi_v3_document(section, types_, version_));
  keep_hash(section.name, hash);
  return hash;
}

std::string OpenApi::kept_hash(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = hashes_.find(name);
  return found == hashes_.end() ? std::string() : found->second;
}

void OpenApi::keep_hash(std::string_view name, const std::string& hash) {
  const MutexLock lock(mutex_);
  hashes_.insert_or_assign(std::string(name), hash);
}

}  // namespace proa::apiserver
