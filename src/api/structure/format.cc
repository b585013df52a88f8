#include "api/structure/format.h"

#include <algorithm>
#include <array>

namespace proa::api {
namespace formats {

struct Entry {
  std::string_view name;
  Format format;
};

constexpr std::array kTexts{
    Entry{"bsonobjectid", Format::kBsonObjectId},
    Entry{"byte", Format::kByte},
    Entry{"cidr", Format::kCidr},
    Entry{"creditcard", Format::kCreditCard},
    Entry{"date", Format::kDate},
    Entry{"datetime", Format::kDateTime},
    Entry{"duration", Format::kDuration},
    Entry{"email", Format::kEmail},
    Entry{"hexcolor", Format::kHexColor},
    Entry{"hostname", Format::kHostname},
    Entry{"ipv4", Format::kIpv4},
    Entry{"ipv6", Format::kIpv6},
    Entry{"isbn", Format::kIsbn},
    Entry{"isbn10", Format::kIsbn10},
    Entry{"isbn13", Format::kIsbn13},
    Entry{"k8slongname", Format::kLongName},
    Entry{"k8sshortname", Format::kShortName},
    Entry{"mac", Format::kMac},
    Entry{"password", Format::kPassword},
    Entry{"rgbcolor", Format::kRgbColor},
    Entry{"ssn", Format::kSsn},
    Entry{"uri", Format::kUri},
    Entry{"uuid", Format::kUuid},
    Entry{"uuid3", Format::kUuid3},
    Entry{"uuid4", Format::kUuid4},
    Entry{"uuid5", Format::kUuid5},
};

// Longer than every name.
constexpr size_t kLongest = 16;

}  // namespace formats

Format text_format(std::string_view name) {
  std::array<char, formats::kLongest> letters;
  size_t size = 0;
  for (const char c : name) {
    if (c == '-') continue;
    if (size == letters.size()) return Format::kNone;
    letters[size++] = c;
  }
  const std::string_view wanted(letters.data(), size);
  const auto found = std::find_if(formats::kTexts.begin(), formats::kTexts.end(),
                                  [&](const formats::Entry& one) { return one.name == wanted; });
  return found == formats::kTexts.end() ? Format::kNone : found->format;
}

Format integer_format(std::string_view name) {
  if (name == "int32") return Format::kInt32;
  return name == "int64" ? Format::kInt64 : Format::kNone;
}

Format number_format(std::string_view name) {
  if (name == "float") return Format::kFloat;
  return name == "double" ? Format::kDouble : Format::kNone;
}

}  // namespace proa::api
