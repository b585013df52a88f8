#pragma once

#include <cstdint>
#include <string_view>

namespace proa::api {

// The formats that schemas of custom resources can ask for, as Kubernetes v1.36 knows them.
enum class Format : uint8_t {
  kNone,
  kBsonObjectId,
  kUri,
  kEmail,
  kHostname,
  kIpv4,
  kIpv6,
  kCidr,
  kMac,
  kUuid,
  kUuid3,
  kUuid4,
  kUuid5,
  kIsbn,
  kIsbn10,
  kIsbn13,
  kCreditCard,
  kSsn,
  kHexColor,
  kRgbColor,
  kByte,
  kPassword,
  kDate,
  kDuration,
  kDateTime,
  kShortName,
  kLongName,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
};

// Of texts, and where no type is stated. Dashes do not count: "date-time" is "datetime". kNone for
// names that are not known.
Format text_format(std::string_view name);
// Of integers and numbers; kNone for names that are not known.
Format integer_format(std::string_view name);
Format number_format(std::string_view name);

}  // namespace proa::api
