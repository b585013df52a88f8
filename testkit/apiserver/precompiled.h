#pragma once
// What most tests of the API server include; compiled once.
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "apiserver/request/request.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/fake_clock.h"
