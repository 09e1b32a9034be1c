#include "server/sqs/format/random_id.h"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <random>

namespace holdfast::server::sqs {

std::string random_id() {
  thread_local std::mt19937_64 numbers{std::random_device{}()};
  return boost::uuids::to_string(boost::uuids::basic_random_generator(numbers)());
}

}  // namespace holdfast::server::sqs
