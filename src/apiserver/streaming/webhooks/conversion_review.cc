#include "apiserver/streaming/webhooks/conversion_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/codec/json/decode.h"
#include "api/codec/json/stated_kind.h"
#include "api/object/edit.h"
#include "api/validation/field_errors.h"
#include "api/validation/go_text.h"
#include "api/validation/metadata.h"
#include "base/strings.h"
#include "custom/decode/show.h"
#include "json/print.h"

namespace proa::apiserver {
namespace conversion_review {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kKind = "ConversionReview";
constexpr std::string_view kSuccess = "Success";

// As Go prints a GroupVersionKind.
std::string kind_text(View object) {
  return fmt::format("{}, Kind={}", object["apiVersion"].text(), object["kind"].text());
}

// Whatever the webhook says, and upstream repeats: somebody may read this much.
constexpr size_t kMostWords = 16 * 1024;

std::string shortened(std::string text) {
  if (text.size() <= kMostWords) return text;
  size_t end = kMostWords;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "...";
}

// Errors about an answer as a whole and about one object begin differently.
Status returned(const ConversionQuestion& question, const std::string& what) {
  return {Reason::kUnknown, shortened(fmt::format("conversion webhook for {} returned {}",
                                                  kind_text(*question.objects.front()), what))};
}

Status unreadable(const ConversionQuestion& question, const Status& why) {
  return conversion_failed(question, "the webhook's answer cannot be read: " + why.message());
}

void reach(const ConversionQuestion& question, ConversionStage stage) {
  if (question.stage != nullptr) *question.stage = stage;
}

// Whether a member, if there is one, is a text.
bool is_text_or_absent(View value) { return !value.exists() || value.is(json::Kind::kString); }

// The response of a review, whose members have the right types.
Result<View> response_of(const ConversionQuestion& question, View review) {
  if (question.version == "v1") {
    const std::string wanted = fmt::format("{}/v1, Kind={}", kGroup, kKind);
    const std::string got = kind_text(review);
    if (got != wanted)
      return Status(Reason::kUnknown,
                    fmt::format("expected webhook response of {}, got {}", wanted, got));
  }
  const View response = review["response"];
  if (!response.exists()) return Status(Reason::kUnknown, "no response provided");
  const View result = response["result"];
  const bool is_readable = response.is(json::Kind::kObject) && is_text_or_absent(response["uid"]) &&
                           is_text_or_absent(result["status"]) &&
                           is_text_or_absent(result["message"]);
  if (!is_readable) return Status(Reason::kUnknown, "the response cannot be read");
  return response;
}

// Why the webhook refused; empty if it did not.
Result<void> check_response(const ConversionQuestion& question, View response) {
  // Those of v1beta1 need not repeat it.
  const std::string_view uid = response["uid"].text();
  if (question.version == "v1" && uid != question.uid)
    return Status(Reason::kUnknown, fmt::format("expected response.uid={}, got {}",
                                                api::quoted(question.uid), api::quoted(uid)));
  const View result = response["result"];
  if (result["status"].text() == kSuccess) return {};
  const std::string_view message = result["message"].text();
  if (!message.empty()) return Status(Reason::kUnknown, std::string(message));
  return Status(Reason::kUnknown, fmt::format("response.result.status was '{}', not 'Success'",
                                              result["status"].text()));
}

Result<void> same(std::string_view what, std::string_view before, std::string_view after) {
  if (before == after) return {};
  return Status(Reason::kUnknown,
                fmt::format("must have the same {}: {} != {}", what, before, after));
}

Result<void> check_identity(View original, View converted) {
  const View before = original["metadata"];
  const View after = converted["metadata"];
  TRY(same("name", before["name"].text(), after["name"].text()));
  TRY(same("namespace", before["namespace"].text(), after["namespace"].text()));
  return same("UID", before["uid"].text(), after["uid"].text());
}

// Changes of labels or annotations must be valid, and texts anyway.
Result<void> check_pairs(std::string_view field, View before, View after) {
  for (const json::Member& pair : after.members()) {
    if (pair.value.is(json::Kind::kString)) continue;
    return Status(Reason::kUnknown,
                  fmt::format("metadata.{}[{}] must be a string, but is {} in converted object",
                              field, pair.key, custom::go_type_name(pair.value)));
  }
  if (before == after) return {};
  api::FieldErrors errors;
  const api::Path metadata("metadata");
  if (field == "labels") {
    api::validate_labels(after, metadata.field("labels"), errors);
  } else {
    api::validate_annotations(after, metadata.field("annotation"), errors);
  }
  if (errors.empty()) return {};
  const std::string texts = join(errors.texts(), ", ");
  return Status(Reason::kUnknown, errors.size() == 1 ? texts : "[" + texts + "]");
}

// The webhook decides on labels and annotations only.
Result<void> restore_metadata(View original, Edit converted) {
  const View answered = converted.view()["metadata"];
  if (!answered.exists()) return Status(Reason::kUnknown, "missing metadata in converted object");
  if (!answered.is(json::Kind::kObject))
    return Status(Reason::kUnknown, fmt::format("invalid metadata of type {} in converted object",
                                                custom::go_type_name(*answered.value())));
  json::Value restored = original["metadata"].exists()
                             ? original["metadata"].value()->copy(converted.arena())
                             : json::Value::object();
  const Edit metadata(converted.arena(), restored);
  for (const std::string_view field : {"labels", "annotations"}) {
    const View pairs = answered[field];
    if (!pairs.exists()) {
      metadata.remove(field);
      continue;
    }
    if (!pairs.is(json::Kind::kObject))
      return Status(Reason::kUnknown,
                    fmt::format("invalid metadata.{} of type {} in converted object", field,
                                custom::go_type_name(*pairs.value())));
    TRY(check_pairs(field, original["metadata"][field], pairs));
    metadata.copy(field, pairs);
  }
  converted.set("metadata", std::move(restored));
  return {};
}

// One object of the answer.
Result<json::Document> read_object(const ConversionQuestion& question, size_t index, View answer) {
  const View original(*question.objects[index]);
  const auto invalid = [&](const std::string& why) {
    return returned(question, fmt::format("invalid object at index {}: {}", index, why));
  };
  if (!answer.is(json::Kind::kObject))
    return invalid(fmt::format("invalid type, got {}", custom::go_type_name(*answer.value())));
  if (answer["apiVersion"].text() != question.wanted)
    return invalid(fmt::format("invalid groupVersion (expected {}, received {})", question.wanted,
                               answer["apiVersion"].text()));
  if (answer["kind"].text() != original["kind"].text())
    return invalid(fmt::format("invalid kind (expected {}, received {})", original["kind"].text(),
                               answer["kind"].text()));
  const Result<void> is_same = check_identity(original, answer);
  if (!is_same) return returned(question, "invalid object: " + is_same.status().message());
  json::Arena arena;
  json::Value copy = answer.value()->copy(arena);
  json::Document document(std::move(arena), std::move(copy));
  const Result<void> restored = restore_metadata(original, Edit(document));
  if (!restored) return returned(question, "invalid metadata: " + restored.status().message());
  return document;
}

}  // namespace conversion_review

Result<std::string> review_version(api::View versions) {
  for (const api::View version : versions.items()) {
    if (version.text() == "v1" || version.text() == "v1beta1") return std::string(version.text());
  }
  return Status(Reason::kUnknown, "no supported conversion review versions");
}

std::string conversion_text(const ConversionQuestion& question) {
  std::string text = fmt::format(
      R"({{"kind":"{}","apiVersion":"{}/{}","request":{{"uid":"{}","desiredAPIVersion":"{}",)"
      R"("objects":[)",
      conversion_review::kKind, conversion_review::kGroup, question.version, question.uid,
      question.wanted);
  for (size_t i = 0; i < question.objects.size(); ++i) {
    if (i > 0) text.push_back(',');
    json::print_to(text, *question.objects[i]);
  }
  // For the webhook to fill in.
  text += R"(]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}})";
  return text;
}

Status conversion_failed(const ConversionQuestion& question, std::string_view why) {
  return {Reason::kUnknown, conversion_review::shortened(fmt::format(
                                "conversion webhook for {} failed: {}",
                                conversion_review::kind_text(*question.objects.front()), why))};
}

Result<std::vector<json::Document>> read_conversion(const ConversionQuestion& question,
                                                    std::string_view answer) {
  using namespace conversion_review;
  const auto response = [&](const json::Document& review) -> Result<View> {
    const View found = TRY(response_of(question, review.root()));
    TRY(check_response(question, found));
    return found;
  };
  Budget budget;
  const Result<api::ParsedBody> review = api::parse_json_body(answer, &budget);
  if (!review) return unreadable(question, api::unreadable_kind(review.status()));
  // A page of a proxy, for example.
  const Result<api::StatedKind> kind = api::stated_kind(review->document.root());
  if (!kind) return unreadable(question, kind.status());
  reach(question, ConversionStage::kReading);
  const Result<View> good = response(review->document);
  if (!good) return conversion_failed(question, good.status().message());
  reach(question, ConversionStage::kCounting);
  const View objects = (*good)["convertedObjects"];
  if (objects.size() != question.objects.size())
    return returned(
        question, fmt::format("{} objects, expected {}", objects.size(), question.objects.size()));
  reach(question, ConversionStage::kChecking);
  std::vector<json::Document> converted;
  converted.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i)
    converted.push_back(TRY(read_object(question, i, objects.item(i))));
  reach(question, ConversionStage::kDone);
  return converted;
}

}  // namespace proa::apiserver
