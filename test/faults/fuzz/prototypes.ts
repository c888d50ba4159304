const PROTOTYPES = [Object, Array, String, Number, Boolean, Function, Map, Set, Error, Promise].map(
  (each): object => each.prototype,
);

/** What the prototypes of built-in objects hold, so that two looks can be compared. */
export const prototypeNames = (): string =>
  PROTOTYPES.map((each) => Reflect.ownKeys(each).map(String).join()).join(';');
