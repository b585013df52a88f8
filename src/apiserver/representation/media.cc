#include "apiserver/representation/media.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "apiserver/request/failures.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace media {

using Offer = AcceptOffer;

// What upstream's routes of objects produce; those of lists and watches produce the rest, too.
constexpr std::array<std::string_view, 5> kProduced = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr size_t kProducedObjects = 3;

Offer read_offer(std::string_view text) {
  Offer offer;
  const std::vector<std::string_view> parts = split(text, ';');
  offer.type = to_lower(trim(parts[0]));
  for (size_t i = 1; i < parts.size(); ++i) {
    const auto halves = split_once(trim(parts[i]), '=');
    if (!halves) continue;
    const std::string_view value = trim(halves->after);
    const std::string name = to_lower(trim(halves->before));
    if (name == "as") offer.as = value;
    if (name == "g") offer.group = value;
    if (name == "v") offer.version = value;
    if (name == "q")
      offer.quality = value.starts_with("0") ? std::atof(std::string(value).c_str()) : 1;
  }
  return offer;
}

std::optional<Encoding> encoding_of(std::string_view type) {
  if (type == "application/json" || type == "*/*" || type == "application/*" || type.empty()) {
    return Encoding::kJson;
  }
  if (type == "application/yaml") return Encoding::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return Encoding::kProtobuf;
  return std::nullopt;
}

std::optional<Form> form_of(const Offer& offer) {
  if (offer.as.empty()) return Form::kObject;
  if (offer.group != "meta.k8s.io" || (offer.version != "v1" && offer.version != "v1beta1")) {
    return std::nullopt;
  }
  if (offer.as == "Table") return Form::kTable;
  if (offer.as == "PartialObjectMetadata") return Form::kPartial;
  if (offer.as == "PartialObjectMetadataList") return Form::kPartialList;
  return std::nullopt;
}

std::optional<Media> accept_offer(const Offer& offer, bool watching, bool has_tables) {
  if (offer.quality <= 0) return std::nullopt;
  const std::optional<Encoding> encoding = encoding_of(offer.type);
  const std::optional<Form> form = form_of(offer);
  if (!encoding || !form) return std::nullopt;
  // Tables have no protobuf message, and YAML cannot be streamed.
  const bool tables = has_tables && *encoding != Encoding::kProtobuf;
  if (*form == Form::kTable && !tables) return std::nullopt;
  if (watching && *encoding == Encoding::kYaml) return std::nullopt;
  return Media{.encoding = *encoding,
               .form = *form,
               .stream = watching,
               .form_version = *form == Form::kObject ? "" : offer.version};
}

}  // namespace media

std::string Media::content_type(bool watching) const {
  std::string type = encoding == Encoding::kProtobuf ? "application/vnd.kubernetes.protobuf"
                     : encoding == Encoding::kYaml   ? "application/yaml"
                                                     : "application/json";
  if (watching && encoding == Encoding::kProtobuf) type += ";stream=watch";
  return type;
}

std::vector<AcceptOffer> accept_offers(std::string_view accept) {
  std::vector<AcceptOffer> offers;
  for (const std::string_view part : split(accept, ',')) {
    if (!trim(part).empty()) offers.push_back(media::read_offer(part));
  }
  std::stable_sort(offers.begin(), offers.end(), [](const AcceptOffer& a, const AcceptOffer& b) {
    return a.quality > b.quality;
  });
  return offers;
}

Result<void> check_produced(std::string_view accept, std::span<const std::string_view> produced) {
  if (trim(accept).empty()) return {};
  for (const std::string_view part : split(accept, ',')) {
    const std::string_view type = trim(part.substr(0, part.find(';')));
    if (type == "*/*" || std::ranges::find(produced, type) != produced.end()) return {};
  }
  return not_acceptable(produced);
}

Result<void> check_produced(std::string_view accept, bool lists) {
  const std::span all(media::kProduced);
  return check_produced(accept, lists ? all : all.first(media::kProducedObjects));
}

Result<Media> choose_media(std::string_view accept, bool watching, bool has_tables) {
  if (trim(accept).empty()) return Media{.stream = watching};
  for (const AcceptOffer& offer : accept_offers(accept)) {
    const std::optional<Media> chosen = media::accept_offer(offer, watching, has_tables);
    if (chosen) return *chosen;
  }
  return Status(Reason::kNotAcceptable,
                watching
                    ? "only the following media types are accepted: application/json;stream=watch, "
                      "application/vnd.kubernetes.protobuf;stream=watch"
                    : "only the following media types are accepted: application/json, "
                      "application/yaml, application/vnd.kubernetes.protobuf");
}

Encoding choose_failure_encoding(std::string_view accept) {
  for (const AcceptOffer& offer : accept_offers(accept)) {
    if (!offer.as.empty() || offer.quality <= 0) continue;
    const std::optional<Encoding> encoding = media::encoding_of(offer.type);
    if (encoding) return *encoding;
  }
  return Encoding::kJson;
}

}  // namespace proa::apiserver
