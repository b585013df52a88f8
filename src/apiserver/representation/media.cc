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

// Takes the first part of what is left of a header, trimmed. Unlike split(), it needs no memory:
// every request has an Accept header.
std::string_view take_part(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view part = trim(rest.substr(0, end));
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

Offer read_offer(std::string_view text) {
  Offer offer;
  offer.type = take_part(text, ';');
  while (!text.empty()) {
    const auto halves = split_once(take_part(text, ';'), '=');
    if (!halves) continue;
    const std::string_view value = trim(halves->after);
    const std::string_view name = trim(halves->before);
    if (equals_ignoring_case(name, "as")) offer.as = value;
    if (equals_ignoring_case(name, "g")) offer.group = value;
    if (equals_ignoring_case(name, "v")) offer.version = value;
    if (equals_ignoring_case(name, "q")) offer.quality = accept_quality(value);
  }
  return offer;
}

std::optional<Encoding> encoding_of(std::string_view type) {
  const auto is = [&](std::string_view other) { return equals_ignoring_case(type, other); };
  if (is("application/json") || type == "*/*" || is("application/*") || type.empty()) {
    return Encoding::kJson;
  }
  if (is("application/yaml")) return Encoding::kYaml;
  if (is("application/vnd.kubernetes.protobuf")) return Encoding::kProtobuf;
  return std::nullopt;
}

std::optional<Form> form_of(const Offer& offer) {
  // As upstream, a group or version alone asks for a form, too: one that does not exist.
  if (offer.as.empty() && offer.group.empty() && offer.version.empty()) return Form::kObject;
  if (offer.group != "meta.k8s.io" || (offer.version != "v1" && offer.version != "v1beta1")) {
    return std::nullopt;
  }
  if (offer.as == "Table") return Form::kTable;
  if (offer.as == "PartialObjectMetadata") return Form::kPartial;
  if (offer.as == "PartialObjectMetadataList") return Form::kPartialList;
  return std::nullopt;
}

std::optional<Media> accept_offer(const Offer& offer, bool watching, const Forms& forms) {
  if (offer.quality <= 0) return std::nullopt;
  const std::optional<Encoding> encoding = encoding_of(offer.type);
  const std::optional<Form> form = form_of(offer);
  if (!encoding || !form) return std::nullopt;
  const bool protobuf = *encoding == Encoding::kProtobuf;
  // Tables have no protobuf message, and YAML cannot be streamed.
  if (*form == Form::kTable && (protobuf || !forms.tables)) return std::nullopt;
  if (*form == Form::kObject && protobuf && !forms.protobuf) return std::nullopt;
  if (watching && *encoding == Encoding::kYaml) return std::nullopt;
  return Media{.encoding = *encoding,
               .form = *form,
               .stream = watching,
               .form_version = std::string(*form == Form::kObject ? "" : offer.version)};
}

}  // namespace media

std::string Media::content_type(bool watching) const {
  std::string type = encoding == Encoding::kProtobuf ? "application/vnd.kubernetes.protobuf"
                     : encoding == Encoding::kYaml   ? "application/yaml"
                                                     : "application/json";
  if (watching && encoding == Encoding::kProtobuf) type += ";stream=watch";
  return type;
}

double accept_quality(std::string_view text) {
  return text.starts_with("0") ? std::atof(std::string(text).c_str()) : 1;
}

std::vector<AcceptOffer> accept_offers(std::string_view accept) {
  std::vector<AcceptOffer> offers;
  while (!accept.empty()) {
    const std::string_view part = media::take_part(accept, ',');
    if (!part.empty()) offers.push_back(media::read_offer(part));
  }
  std::stable_sort(offers.begin(), offers.end(), [](const AcceptOffer& a, const AcceptOffer& b) {
    return a.quality > b.quality;
  });
  return offers;
}

Result<void> check_produced(std::string_view accept, std::span<const std::string_view> produced) {
  if (trim(accept).empty()) return {};
  while (!accept.empty()) {
    std::string_view part = media::take_part(accept, ',');
    const std::string_view type = media::take_part(part, ';');
    if (type == "*/*" || std::ranges::find(produced, type) != produced.end()) return {};
  }
  return not_acceptable(produced);
}

Result<void> check_produced(std::string_view accept, bool lists) {
  const std::span all(media::kProduced);
  return check_produced(accept, lists ? all : all.first(media::kProducedObjects));
}

Result<Media> choose_media(std::string_view accept, bool watching, const Forms& forms) {
  if (trim(accept).empty()) return Media{.stream = watching};
  std::optional<Media> best;
  double quality = 0;
  while (!accept.empty()) {
    const std::string_view part = media::take_part(accept, ',');
    if (part.empty()) continue;
    const AcceptOffer offer = media::read_offer(part);
    if (offer.quality <= quality) continue;
    std::optional<Media> chosen = media::accept_offer(offer, watching, forms);
    if (!chosen) continue;
    best = std::move(chosen);
    quality = offer.quality;
  }
  if (best) return std::move(*best);
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
