import { decodedReadings, decodedSegments, strictReading } from '../../config/words/path-readings.ts';
import type { Target } from '../message/target.ts';

/**
 * The segments of a path as rules see them, in each reading of a decoding server, even one that decodes `%2F`. Nearly
 * every path has only one form.
 */
export function partsOf({ key }: Pick<Target, 'key'>): readonly (readonly string[])[] {
  const whole = decodedSegments(key.slice(1));
  const others = decodedReadings(key).filter((reading) => reading.slice(1) !== whole.join('/'));
  return [whole, ...others.map((reading) => reading.slice(1).split('/'))];
}

/** The segments of a path that was not judged, for example from a log. */
export function looseParts(path: string): readonly string[] {
  return decodedSegments(strictReading(path).slice(1));
}
