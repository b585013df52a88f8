#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "apiserver/streaming/webhooks/conversion_probe.h"
#include "base/result.h"
#include "json/value.h"

// What is sent to a webhook that converts custom objects, and what it may answer.

namespace proa::apiserver {

struct ConversionQuestion {
  std::string version;  // of the review: "v1" or "v1beta1"
  std::string uid;      // of this question; the answer repeats it
  std::string wanted;   // the version to convert to, "example.com/v2"
  // Objects in other versions; they outlive this.
  std::span<const json::Value* const> objects;
  // How far it came, for those who count failures; null: nobody does.
  ConversionStage* stage = nullptr;
};

// The first version that a definition names and that exists. `versions`: its
// conversionReviewVersions.
Result<std::string> review_version(api::View versions);

std::string conversion_text(const ConversionQuestion& question);

// The converted objects, in the order of the question, in the wanted version and with the metadata
// of the originals except for labels and annotations. `answer` is hostile. Failures are as
// upstream's: "conversion webhook for example.com/v1, Kind=Ship failed: ...".
Result<std::vector<json::Document>> read_conversion(const ConversionQuestion& question,
                                                    std::string_view answer);

// "conversion webhook for example.com/v1, Kind=Ship failed: ", and why.
Status conversion_failed(const ConversionQuestion& question, std::string_view why);

}  // namespace proa::apiserver
