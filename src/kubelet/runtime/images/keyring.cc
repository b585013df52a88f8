#include "kubelet/runtime/images/keyring.h"

#include "api/object/view.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"
#include "kubelet/runtime/images/glob.h"

namespace proa::kubelet {
namespace keyrings {

constexpr std::string_view kDefaultHost = "index.docker.io";

struct Place {
  std::string_view host = {};
  std::string_view port = {};
  std::string_view path = {};  // with its slash
};

Place read_place(std::string_view text) {
  Place place;
  const size_t slash = std::min(text.find('/'), text.size());
  place.path = text.substr(slash);
  place.path = place.path.substr(0, place.path.find_first_of("?#"));
  place.host = text.substr(0, slash);
  const size_t colon = place.host.rfind(':');
  const size_t bracket = place.host.rfind(']');
  const bool has_port =
      colon != std::string_view::npos &&
      (bracket == std::string_view::npos ? place.host.find(':') == colon : colon > bracket);
  if (has_port) {
    place.port = place.host.substr(colon + 1);
    place.host = place.host.substr(0, colon);
  }
  return place;
}

// Whether Docker Hub is meant: a repository whose first part is not a host.
bool is_default_registry(std::string_view repository) {
  const auto cut = split_once(repository, '/');
  if (!cut) return !repository.empty();
  if (cut->before.empty()) return false;
  return cut->before == "docker.io" || cut->before == kDefaultHost ||
         cut->before.find_first_of(".:") == std::string_view::npos;
}

std::string hash_of(const std::string& user, const std::string& password) {
  // As JSON, so that no two pairs read the same.
  std::string text;
  json::print_string_to(text, user);
  json::print_string_to(text, password);
  return crypto::sha256(text).hex();
}

Status unreadable() {
  return Status(Reason::kInvalid, "error occurred while trying to unmarshal json");
}

// "auth" is base64 of user:password, with padding or without, and counts more than the two fields.
Result<cri::PullCredentials> read_entry(api::View entry) {
  if (!entry.is(json::Kind::kObject)) return unreadable();
  cri::PullCredentials credentials;
  credentials.user = entry["username"].text();
  credentials.password = entry["password"].text();
  std::string auth(trim(entry["auth"].text()));
  if (auth.empty()) return credentials;
  if (auth.back() != '=') auth.append((4 - auth.size() % 4) % 4, '=');
  const auto decoded = from_base64(auth);
  const auto cut = decoded ? split_once(*decoded, ':') : std::nullopt;
  if (!cut) {
    return Status(Reason::kInvalid,
                  "unable to parse auth field, must be formatted as base64(username:password)");
  }
  credentials.user = cut->before;
  credentials.password = cut->after;
  return credentials;
}

}  // namespace keyrings

Result<void> Keyring::add(const api::Object& secret) {
  const json::Document document = TRY(secret.document());
  const api::View root(document.root());
  const std::string_view type = root["type"].text();
  const bool is_new_format = type == "kubernetes.io/dockerconfigjson";
  if (!is_new_format && type != "kubernetes.io/dockercfg") return {};
  const auto content =
      from_base64(root["data"][is_new_format ? ".dockerconfigjson" : ".dockercfg"].text());
  if (!content || content->empty()) return {};
  const auto parsed = json::parse(*content);
  // Its own failure would quote what it found.
  if (!parsed.ok()) return keyrings::unreadable();
  const api::View whole(parsed->root());
  for (const auto& [place, entry] : (is_new_format ? whole["auths"] : whole).members()) {
    PullKey key;
    key.credentials = TRY(keyrings::read_entry(entry));
    key.hash = keyrings::hash_of(key.credentials.user, key.credentials.password);
    key.secret_uid = api::Uid(secret.metadata().uid);
    key.secret_namespace = secret.metadata().name_space;
    key.secret_name = secret.metadata().name;
    add_entry(place, std::move(key));
  }
  return {};
}

void Keyring::add_entry(std::string_view place, PullKey key) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (place.rfind(scheme, 0) == 0) {
      place.remove_prefix(scheme.size());
      break;
    }
  }
  const size_t slash = std::min(place.find('/'), place.size());
  std::string_view path = keyrings::read_place(place).path;
  // Docker's name for its registry's API: "https://index.docker.io/v1/".
  if (path.rfind("/v1/", 0) == 0 || path.rfind("/v2/", 0) == 0) path.remove_prefix(3);
  std::string index(place.substr(0, slash));
  if (path != "/") index += path;
  keys_[index].push_back(std::move(key));
}

bool covers(std::string_view place, std::string_view repository) {
  const keyrings::Place glob = keyrings::read_place(place);
  const keyrings::Place target = keyrings::read_place(repository);
  if (glob.port != target.port || target.path.rfind(glob.path, 0) != 0) return false;
  const auto glob_labels = split(glob.host, '.');
  const auto labels = split(target.host, '.');
  if (glob_labels.size() != labels.size()) return false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!matches_glob(glob_labels[i], labels[i])) return false;
  }
  return true;
}

std::vector<PullKey> Keyring::find(std::string_view repository) const {
  std::vector<PullKey> found;
  for (const auto& [place, keys] : keys_) {
    if (covers(place, repository)) found.insert(found.end(), keys.begin(), keys.end());
  }
  if (!found.empty() || !keyrings::is_default_registry(repository)) return found;
  const auto fallback = keys_.find(std::string(keyrings::kDefaultHost));
  return fallback == keys_.end() ? found : fallback->second;
}

}  // namespace proa::kubelet
